"""German: its classes of words; `english` explains them."""

from __future__ import annotations

from truekeep.extractors.rules.lexicon import lexicon

_COMMON = """
    der die das und ist nicht ich wir mit auf fuer für ein eine den dem des im am zu von bei auch nur noch wie was
    wenn aber oder sind war haben hat wird sich es sie er mir mich uns unser mein dass weil bitte kein keine nach
    aus bis schon mal da in seit wohne ohne so zum zur vom über immer man kann soll
"""

_CLASSES = {
    "i": "ich, mir, mich",
    "we": "wir, uns",
    "own": "mein, meine, meiner, meinem, meinen, unser, unsere, unserer, unserem, unseren",
    "you": "du, dir, dich, dein, deine, sie bitte, ihnen",
    "pronoun": "es, das, dies, diese, er, sie, da",
    "article": "der, die, das, jede, jeder, jedes, alle, unser, unsere, mein, meine",
    "filler": """
        ok, okay, ja, gut, also, und, aber, ach, ah, danke, hallo, hi, moin, genau, klar, super, prima,
        stimmt, gerne, gern, übrigens, ehrlich gesagt, guten morgen, guten tag, servus, verstanden, bitte, na,
        tja, nee
    """,
    "no": "nein, kein, keine, keinen, keinerlei",
    "noted": "notiert, verstanden, erledigt, ok, okay, danke",
    "offer": "soll ich, ich kann, ich werde, möchten sie, möchtest du, gerne, willst du, wollen sie",
    "asks": "wie, warum, wieso, weshalb, wann, wo, wer, wen, welche, welcher, welches, was, hat jemand, kann jemand",
    "if": "wenn, falls",
    "unreal": """
        würde, würden, wäre, wären, hätte, hätten, könnte, könnten, käme, kämen, gäbe, ginge, gingen, wüsste,
        wüssten, bräuchte, bräuchten, dürfte, müsste, müssten, bekäme, fände, ließe, blieben wir
    """,
    "supposing": """
        angenommen, was wäre wenn, stell dir vor, nehmen wir an, gesetzt den fall, wenn ich mal, falls ich
        jemals, wenn ich jemals, wenn ich im lotto, was wenn, mal
        angenommen, nur mal theoretisch, theoretisch
    """,
    "unsure": """
        vielleicht, wahrscheinlich, vermutlich, eventuell, möglicherweise, keine ahnung, nicht sicher, ich
        glaube, ich denke, glaube ich, mal sehen, wohl, könnte sein, hoffentlich, überlege, überlegen, ich
        tippe, schätze, schätzungsweise, ich vermute, vermute, womöglich, dürfte, scheint, nehme an, ich
        nehme an, bin mir nicht sicher, könnten sein, wäre schön, eines tages, irgendwann mal, bestimmt
        wieder, bin ziemlich sicher, könnte gut, wer weiß, weiß nicht, weiss nicht, ich wette, wetten dass,
        mein tipp, gefühlt, so über den daumen, würde sagen, ich würde schätzen, ich rate, kann sein, mag
        sein, anscheinend, offenbar, scheinbar
    """,
    "rumour": """
        angeblich, ich habe gehört, habe gehört, gerücht, gerüchte, gerüchteweise, soll angeblich, munkelt,
        man munkelt, man sagt, es heißt, hab gehört, hörensagen, wie man hört, dem vernehmen nach, soll ja,
        jemand meinte, jemand sagte, behauptet, behauptete, schwört, erzählt man, gehört dass, flurfunk,
        klatsch, gemunkel, geht das gerücht, angebliche, es wird erzählt, wird gemunkelt, soll wohl, sollen
        wohl, hab gelesen, irgendwo gelesen, die leute sagen, die leute reden, im internet steht
    """,
    "sarcasm": """
        na toll, na super, wie schön, na prima, ja klar, ganz toll, na klasse, wie toll, ganz großes kino,
        super idee, was soll schon, tolle wurst, herzlichen dank auch, na bravo, ja sicher, ja genau, schon
        klar, wer's glaubt, wer s glaubt, träum weiter, von wegen, echt super, mal wieder typisch, läuft bei
        uns, läuft bei mir, genau mein humor, ganz bestimmt, was für eine überraschung, welch überraschung,
        ist ja toll, na dann prost, wunderbar wieder, herrlich wieder
    """,
    "hearsayer": """
        leute, jemand, nachbar, nachbarin, nachbarn, kumpel, freund, freundin, bekannter, bekannte, neffe,
        cousin, cousine, onkel, tante, schwager, friseur, friseurin, taxifahrer, zeuge, internet, forum,
        zeitung, prospekt, werbung, schild, man, alle, viele
    """,
    "reported": """
        sagt, sagte, sagen, meint, meinte, erzählt, erzählte, behauptet, behauptete, schwört, schreibt,
        schrieb, gelesen, gehört
    """,
    "imperative": """
        mach, schick, schicke, sende, zeig, zeige, gib, such, suche, schreib, schreibe, prüf, prüfe, stell,
        stelle, buche, buch, leg, lege, setz, setze, erstelle, öffne, lösch, lösche, ruf, hol, nimm, bring,
        sag, trag
    """,
    "request": "kannst du, könntest du, können sie, könnten sie, bitte, lass uns, hilf mir, ich brauche hilfe",
    "please": "bitte",
    "standing": """
        immer, nie, niemals, nur, ab sofort, ab jetzt, künftig, in zukunft, grundsätzlich, stets, jedes mal,
        statt, anstatt, höchstens, maximal, mindestens, nicht mehr, ausschließlich, generell, lieber,
        spätestens
    """,
    "only": "nur, höchstens, maximal, ausschließlich",
    "calling": "nenn mich, nennt mich, nennen sie mich, du kannst mich, ich heiße, ich heisse",
    "resolve": "beschlossen, entschieden, entscheiden uns, einigen uns, geeinigt, bleiben bei, nehmen, vereinbart",
    "decided": "umgestiegen, gewechselt, gewählt, abgeschafft, eingeführt, verschoben",
    "settled": """
        haben beschlossen, habe beschlossen, haben uns entschieden, wurde beschlossen, haben entschieden,
        ist beschlossen, steht fest, ist entschieden, hat beschlossen, hat entschieden, wurde
        entschieden, ist genehmigt, wurde genehmigt, ist vom tisch
    """,
    "ruling": "ab sofort, ab jetzt, künftig, regel, vorschrift, pflicht, vorgabe, verbindlich, verboten, beschluss",
    "necessity": "muss, müssen, darf nicht, dürfen nicht, darf nur, braucht, brauchen",
    "stays": "bleibt, bleiben",
    "liking": """
        mag, mögen, liebe, hasse, bevorzuge, bevorzugen, möchte, will, ziehe vor, esse, trinke, vertrage,
        brauche, bin allergisch, keinen, lieber
    """,
    "likes": """
        mag, liebe, hasse, bevorzuge, am liebsten, lieblings, lieber, vertrage, am besten passt, passt
        mir, bin kein fan, kein freund von, nichts geht über, geht mir auf, stört mich, nervt mich
    """,
    "vague": "das, es, dich, ihnen, wissen, hilfe",
    "habit": "immer, nie, meistens, normalerweise, grundsätzlich",
    "mind": "weiß, wusste, verstehe, denke, glaube, sehe",
    "attempt": """
        probiert, versucht, ausprobiert, letztes mal, getestet, versuch, haben es mit, habe es mit,
        einmal haben, beim letzten mal, beim ersten mal, beim ersten versuch
    """,
    "deed": """
        hatten, haben, hatte, habe, war, waren, wurde, bei, gekauft, bestellt, benutzt, verwendet,
        genommen, gelassen, gestellt, gelegt, gebucht, vertraut, verlassen, gemischt, gewaschen, ohne,
        mit dem, mit der
    """,
    "failure": """
        gescheitert, fehlgeschlagen, kaputt, gebrochen, gerissen, umgekippt, abgestürzt, funktioniert
        nicht, geklappt nicht, nicht geklappt, nicht funktioniert, nicht gehalten, verloren, zu langsam,
        zu spät, zu teuer, schlecht, schlimmer, chaos, katastrophe, verbrannt, geschmolzen, undicht,
        verdorben, krank, ausgefallen, fiel aus, ging schief, schiefgegangen, schief, platzte, geplatzt,
        verschimmelt, abgebrochen, durchnässt, beschwerden, ärger, falsch, eingefroren, hängt, stürzt,
        verstopft, spinnt, überflutet, beschädigt, fehler, reinfall, pleite, flop, fiasko, desaster,
        hölle, albtraum, ruiniert, ruinierte, zerstört, zerkratzt, zerbrochen, zerbrach, zerbricht,
        brach, bricht, riss, reißt, reisst, riß, platzt, schmolz, verbrannte, verbrennt, verfault,
        verfaulte, faulte, fault, schimmelt, schimmelte, rostet, rostete, verrostet, blätterte, blättert,
        abgeblättert, abgefallen, abgerissen, abgesagt, umgefallen, fiel um, ging kaputt, geht kaputt,
        ging ein, eingegangen, eingelaufen, stürzte ab, stürzt ab, blieb stecken, bleibt stecken,
        steckengeblieben, klemmt, klemmte, leckt, leckte, tropft, tropfte, überhitzt, überhitzte,
        übergelaufen, ausgelaufen, geronnen, gerinnt, misslungen, misslang, missglückt, versagt,
        versagte, scheiterte, scheitert, verpasst, verschwunden, gestohlen, verletzt, entzündet,
        entzündete, ausschlag, kopfschmerzen, bauchschmerzen, übel, gekündigt, verklagt, bußgeld, strafe,
        mahnung, reklamation, reklamationen, nutzlos, sinnlos, umsonst, vergeblich, bringt nichts,
        brachte nichts, nichts gebracht, geht nicht, ging nicht, klappt nicht, klappte nicht, hält nicht,
        hielt nicht, taugt nichts, nichts getaugt, reicht nicht, reichte nicht, keiner kommt, keiner kam,
        niemand kam, niemand kommt, niemand liest, keiner liest, keiner gelesen, zu kalt, zu laut, zu
        heiß, zu schwer, zu wenig, zu dünn, zu weich, zu klein, zu früh, zu viel, hinten los, nach hinten
        los, ins wasser, ins leere, schiefgelaufen, lief schief, läuft schief, durcheinander, doppelt
        gebucht, vertauscht, verwechselt, gekostet, kostete uns, kostete mich, verbogen, verzogen,
        verfärbt, verkratzt, verklebt, verstopfte, ausgefranst, durchgebrannt, durchgerostet, welk,
        verwelkt, vertrocknet, erfroren, matschig, klumpig, ranzig, sauer geworden, stinkt, stank
    """,
    "regret": """
        nie wieder, nicht nochmal, nicht noch einmal, fehler gewesen, lehre, gelernt, bereut, bereue,
        nicht mehr machen, lassen, war ein fehler, war der fehler, ein fehler war, nochmal mache ich,
        mache ich nicht mehr, machen wir nicht mehr, hätten wir bloß, hätte ich bloß, hätten wir nur,
        hätte ich nur, hätten wir nicht, hätte ich nicht, im nachhinein, schlechte idee, keine gute idee,
        bitter bezahlt, lehrgeld, aus schaden, finger weg, hände weg, nie mehr, rate ab, abzuraten, lohnt
        nicht, lohnt sich nicht, nicht gelohnt, zeitverschwendung, geldverschwendung, hat sich gerächt,
        rächt sich, war ein reinfall, sackgasse, nicht empfehlen, nicht zu empfehlen, nur ärger
    """,
    "avoid": "nie, niemals, nicht, kein, keine, vermeiden, lassen, finger weg, bloß nicht",
    "remedy": "stattdessen, statt, besser, daher, deshalb, also, lieber, ab jetzt, nur noch",
    "past": """
        letztes jahr, letzten, letzte, voriges jahr, im letzten, damals, früher, vor zwei, schon einmal, 2021,
        2022, 2023, 2024, 2025
    """,
    "success": "hat geklappt, funktioniert, klappt, erfolgreich",
    "identity": """
        ich bin, ich wohne, ich arbeite, ich lebe, ich habe einen, ich habe eine, ich habe zwei, mein name,
        ich komme aus, ich spreche, meine frau, mein mann, meine tochter, mein sohn, ich unterrichte, ich
        leite, ich fahre, allergisch, bin allergisch
    """,
    "kin": "frau, mann, tochter, sohn, bruder, schwester, mutter, vater, hund, katze, chef, chefin, kinder, eltern",
    "present": "ist, sind, bin, hat, haben",
    "stative": """
        braucht, liegt, steht, kostet, schließt, öffnet, beginnt, endet, gilt, gehört, arbeitet, läuft, macht,
        wohnt, kommt, geht, dauert, heißt, findet, muss, müssen, darf, dürfen, kann nur, nimmt, hängt, bleibt,
        wohne, gelten
    """,
    "schedule": """
        jeden, jede, jedes, täglich, wöchentlich, monatlich, montag, dienstag, mittwoch, donnerstag, freitag,
        samstag, sonntag, montags, dienstags, mittwochs, donnerstags, freitags, samstags, sonntags, uhr,
        frist, spätestens
    """,
    "date": """
        januar, februar, märz, april, mai, juni, juli, august, september, oktober, november, dezember, montag,
        dienstag, mittwoch, donnerstag, freitag, samstag, sonntag, nächste woche, nächsten monat, ostern,
        weihnachten
    """,
    "until": "bis, vorübergehend, vorerst",
    "planned": """
        urlaub, verreist, bin weg, nicht da, unterwegs, termin, gebucht, angemeldet, konferenz, vertritt, im
        urlaub
    """,
    "moment": "gerade, heute, gestern, jetzt, gleich, eben, morgen, momentan, sofort, noch nicht, heute morgen",
    "opinion": """
        toll, super, schön, gut, prima, nett, witzig, komisch, klasse, okay, lecker, müde, froh, klingt, passt
    """,
    "progress": """
        erledigt, fertig, läuft, mache ich, bin dran, gemacht, verschickt, gesendet, aktualisiert, gespeichert
    """,
    "because": "weil, da, denn, deshalb, daher, wegen, damit, sonst",
    "reason": "weil, denn, grund, der grund",
    "negation": "nicht, nie, kein, keine",
    "modal": "würde, könnte, sollte",
    "joke": """
        haha, lol, scherz, witz, hihi, hehe, xd, rofl, spaß, spässle, nur spaß, späßle
    """,
    "secret": "passwort, kennwort, pin, schlüssel, token, zugangsdaten, pw",
    "ever": "immer, nie, niemals",
    "again": "wieder, nochmal",
    "sequel": "und, dann, danach, bis, da, woraufhin",
    "warn": "nie, niemals, bloß nicht, keinesfalls, finger weg, hände weg, vorsicht, nicht, vermeidet",
    "soon": "nach zwei, nach drei, nach einer, nach einem, binnen, innerhalb, jedes mal, jedesmal, beim ersten",
    "cheap": """
        billig, billige, billigen, billiger, billiges, günstige, günstigen, gebrauchte, gebrauchten,
        alte, alten
    """,
}

GERMAN = lexicon("de", _COMMON, _CLASSES)
