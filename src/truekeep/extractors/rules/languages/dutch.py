"""Dutch: its classes of words; `english` explains them."""

from __future__ import annotations

from truekeep.extractors.rules.lexicon import lexicon

_COMMON = """
    de het een en van is niet ik wij we met op voor in te zijn dat die er aan ook maar als om bij naar uit nog wel
    geen dan wat hoe waar wie heeft hebben wordt kan moet mijn ons onze jij je u hij zij ze dit deze over tot
    altijd nooit meer want omdat alleen gaat
"""

_CLASSES = {
    "i": "ik, mij, me",
    "we": "we, wij, ons",
    "own": "mijn, ons, onze",
    "you": "je, jij, jouw, u, uw",
    "pronoun": "het, dit, dat, deze, hij, zij, ze, er",
    "article": "de, het, elke, alle, onze, mijn",
    "filler": """
        ok, oke, oké, ja, goed, dus, en, maar, hoi, hallo, dag, bedankt, dank je, dankjewel, top, prima, mooi,
        fijn, trouwens, eerlijk gezegd, klopt, precies, graag, goedemorgen, goeiemorgen, begrepen, zeker
    """,
    "no": "nee, geen",
    "noted": "genoteerd, begrepen, gedaan, oke, prima, bedankt",
    "offer": "zal ik, ik kan, ik zal, wil je, wilt u, moet ik",
    "asks": "hoe, waarom, wanneer, waar, wie, welke, wat, heeft iemand, kan iemand",
    "if": "als, indien, mocht",
    "unreal": "zou, zouden",
    "supposing": """
        stel dat, stel, wat als, veronderstel, als ik ooit, als we ooit, mocht ik, mochten we, had ik maar,
        hadden we maar, was ik maar, als ik de loterij, als ik win
    """,
    "unsure": """
        misschien, waarschijnlijk, wellicht, geen idee, niet zeker, ik denk, denk ik, ik geloof, hopelijk,
        mogelijk, ik gok, gok ik, vermoedelijk, ik vermoed, vermoed ik, ik schat, lijkt erop, zal wel, kan
        zijn, wie weet, zou kunnen, ooit op een dag, zou mooi zijn, volgens mij, wedden dat, ik wed, geen
        flauw idee, weet niet, weet ik niet, ik zou zeggen, ik neem aan, lijkt me, als het goed is, naar mijn
        gevoel, ik heb het gevoel, kan best, zou best, vast wel, ongetwijfeld
    """,
    "rumour": """
        naar verluidt, ik hoorde, gehoord dat, gerucht, geruchten, schijnt, blijkbaar, men zegt, ze zeggen,
        er wordt gezegd, iemand zei, heb gehoord, van horen zeggen, zou, zouden, beweert, zweert dat, naar
        het schijnt, er gaan geruchten, roddel, roddels, zei iets, heb ergens, ergens gelezen, de mensen
        zeggen, mensen zeggen, wordt gefluisterd, in de wandelgangen, hoor ik, hoor je, gehoord van,
        zogenaamd, zogezegd
    """,
    "sarcasm": """
        ja hoor, fijn zeg, lekker dan, tuurlijk joh, super hoor, wat een feest, fijn hoor, nou fijn, bravo,
        ja vast, ja ja, tuurlijk, ja tuurlijk, dat zal wel, geweldig weer, heerlijk weer, wat een verrassing,
        lekker handig, goed bezig, mooi is dat, dank je de koekoek, ja dag
    """,
    "hearsayer": """
        mensen, iemand, buurman, buurvrouw, buren, vriend, vriendin, maat, neef, nicht, oom, tante, kapper,
        taxichauffeur, getuige, internet, forum, krant, folder, reclame, bord, ze, iedereen
    """,
    "reported": """
        zegt, zei, zeggen, zeiden, vertelt, vertelde, beweert, beweerde, schrijft, schreef, gehoord, gelezen,
        meent
    """,
    "imperative": """
        doe, stuur, maak, zoek, geef, zet, boek, check, kijk, schrijf, bel, vraag, open, verwijder, voeg,
        haal, laat
    """,
    "request": "kun je, kan je, kunt u, wil je, alsjeblieft, graag, laten we, help me",
    "please": "alsjeblieft, alstublieft, aub",
    "standing": """
        altijd, nooit, alleen, voortaan, vanaf nu, in het vervolg, in plaats van, liever, maximaal, hoogstens,
        niet meer, uitsluitend, elke keer, minstens, enkel, standaard
    """,
    "only": "alleen, maximaal, hoogstens, uitsluitend, enkel",
    "calling": "noem me, noem mij, ik heet, zeg maar",
    "resolve": "besloten, gekozen, afgesproken, kiezen voor, houden het bij, gaan voor, blijven bij",
    "decided": "overgestapt, gewisseld, verplaatst, afgeschaft, ingevoerd, uitgesteld",
    "settled": """
        hebben besloten, heb besloten, hebben gekozen, is besloten, hebben afgesproken, afgesproken dat,
        staat vast, heeft besloten, werd besloten, is goedgekeurd, heeft goedgekeurd, is van de baan
    """,
    "ruling": "vanaf nu, voortaan, regel, verplicht, verboden, beleid, afspraak is, in het vervolg",
    "necessity": "moet, moeten, mag niet, mogen niet, mag alleen, mogen alleen, nodig",
    "stays": "blijft, blijven",
    "liking": "hou van, houd van, haat, verkies, geef de voorkeur, wil, lust, drink, eet, heb liever, vind",
    "likes": """
        heb liever, hou van, houd van, haat, hou niet van, heb een hekel, favoriete, lievelings, liefst,
        lust geen, komt me goed uit, past mij, geen fan, niets gaat boven, stoort me, ergert me, niks
        voor mij
    """,
    "vague": "het, dat, je, weten, hulp",
    "habit": "altijd, nooit, meestal, gewoonlijk",
    "mind": "weet, wist, snap, denk, geloof, zie",
    "attempt": """
        geprobeerd, proberen, vorige keer, getest, poging, één keer, ooit eens, bij de eerste,
        vertrouwden op, vertrouwd op
    """,
    "deed": """
        hadden, hebben, had, heb, was, waren, werd, bij, gekocht, besteld, gebruikt, genomen, gelaten,
        gezet, gelegd, geboekt, vertrouwd, gemengd, gewassen, zonder, met de, met het
    """,
    "failure": """
        mislukt, kapot, gebroken, gescheurd, gecrasht, werkt niet, werkte niet, niet gewerkt, verloren,
        kwijt, kwijtgeraakt, te traag, te laat, te duur, slecht, erger, chaos, ramp, verbrand, gesmolten,
        lek, bedorven, ziek, uitgevallen, mis, fout, klachten, bevroren, vastgelopen, verstopt,
        beschadigd, omgevallen, loopt vast, breekt, bladderde, bladdert, afgebladderd, scheurde, scheurt,
        brak, breken, gebarsten, barst, roestte, roest, verroest, verrot, rotte, verwelkt, uitgedroogd,
        overgelopen, overstroomd, lekte, lekt, bevroor, oververhit, liep vast, blokkeert, geblokkeerd,
        viel om, valt om, viel uit, valt uit, gevallen, bekrast, gevlekt, verkleurd, gekrompen, krimpt,
        verpest, verpestte, geruïneerd, verwoest, gestolen, gewond, ontstoken, uitslag, hoofdpijn,
        buikpijn, misselijk, boete, boetes, aanklacht, schadeclaim, vertraging, fiasco, flop, mislukking,
        hel, nachtmerrie, puinhoop, nutteloos, tevergeefs, voor niets, geen zin, heeft geen zin, had geen
        zin, hield niet, houdt niet, helpt niet, hielp niet, lukt niet, lukte niet, niemand kwam, niemand
        komt, niemand las, niemand leest, te koud, te luid, te heet, te zwaar, te weinig, te dun, te
        veel, te vroeg, gekost, kostte ons, kostte me, verdwenen, verwisseld, dubbel geboekt, verkeerd,
        geklonterd, geschift, schiftte, zuur, beschimmeld, schimmel, stonk, stinkt, ontploft, gesprongen,
        knapte, geknapt, kromgetrokken, ging mis, gaat mis, liep mis, weken kwijt, dagen kwijt
    """,
    "regret": """
        nooit meer, niet nog eens, nooit weer, spijt, les, geleerd, niet doen, was een vergissing, een
        vergissing, was een fout, slecht idee, geen goed idee, achteraf, hadden we nooit, hadden we niet,
        had ik nooit, had ik niet, nooit moeten, niet moeten doen, hadden we maar, had ik maar,
        tijdverspilling, geldverspilling, zonde van, niet de moeite, leergeld, door schade, blijf af,
        blijf weg, handen af, af te raden, niet aan te raden, doodlopend, doen we niet meer, doe ik niet
        meer
    """,
    "avoid": "nooit, niet, geen, vermijd, stop, vermijden",
    "remedy": "in plaats daarvan, beter, dus, daarom, liever, voortaan",
    "past": "vorig jaar, vorige, afgelopen, destijds, eerder, 2021, 2022, 2023, 2024, 2025",
    "success": "werkt, gelukt, werkte goed",
    "identity": """
        ik ben, ik woon, ik werk, ik heb een, ik heb twee, mijn naam, ik kom uit, mijn vrouw, mijn man, mijn
        dochter, mijn zoon, allergisch
    """,
    "kin": "vrouw, man, dochter, zoon, broer, zus, moeder, vader, hond, kat, baas, kinderen, ouders",
    "present": "is, zijn, ben, heeft, hebben",
    "stative": """
        ligt, staat, kost, sluit, opent, begint, eindigt, geldt, hoort, werkt, loopt, maakt, woont, komt,
        gaat, duurt, heet, moet, moeten, mag, mogen, kan alleen, neemt, gebruikt, gebruiken, zit, blijft,
        spelen, speelt, traint
    """,
    "schedule": """
        elke, dagelijks, wekelijks, maandelijks, maandag, dinsdag, woensdag, donderdag, vrijdag, zaterdag,
        zondag, maandags, vrijdags, uur, deadline, uiterlijk, iedere
    """,
    "date": """
        januari, februari, maart, april, mei, juni, juli, augustus, september, oktober, november, december,
        maandag, dinsdag, woensdag, donderdag, vrijdag, zaterdag, zondag, volgende week, volgende maand,
        pasen, kerst
    """,
    "until": "tot, tot en met, voorlopig, tijdelijk",
    "planned": "vakantie, op reis, weg, afwezig, afspraak, geboekt, ingeschreven, congres, vervangt",
    "moment": "nu, vandaag, gisteren, net, straks, zo meteen, morgen, momenteel, nog niet, zojuist",
    "opinion": "leuk, mooi, goed, fijn, gek, grappig, prima, lekker, moe, blij, klinkt, top",
    "progress": "gedaan, klaar, bezig, verstuurd, bijgewerkt, opgeslagen, komt eraan, doe maar",
    "because": "omdat, want, daarom, dus, vanwege, zodat, anders",
    "reason": "omdat, want, de reden",
    "negation": "niet, nooit, geen",
    "modal": "zou, zouden",
    "joke": """
        haha, lol, grapje, hihi, geintje, xd
    """,
    "secret": "wachtwoord, pincode, pin, sleutel, token",
    "ever": "altijd, nooit",
    "again": "weer, opnieuw",
    "sequel": "en, toen, daarna, tot, dus",
    "warn": "nooit, vermijd, blijf af, blijf weg, pas op, kijk uit, gebruik nooit, zet nooit, handen af, geen",
    "soon": "na een, na twee, na drie, binnen een, binnen twee, elke keer, bij de eerste",
    "cheap": "goedkope, goedkoop, tweedehands, oude",
}

DUTCH = lexicon("nl", _COMMON, _CLASSES)
