"""Italian: its classes of words; `english` explains them."""

from __future__ import annotations

from truekeep.extractors.rules.lexicon import lexicon

_COMMON = """
    il lo la i gli le un una di del della e è non che in con per si al alla come più ma mio mia nostro nostra ci
    mi ti sono ha hanno questo questa se anche solo io tu noi perché quando dove cosa o da dal nel nella abbiamo
    ho sempre mai l dell quest po
"""

_CLASSES = {
    "i": "io, mi, me",
    "we": "noi, ci",
    "own": "mio, mia, miei, mie, nostro, nostra, nostri, nostre",
    "you": "tu, ti, tuo, tua, lei, voi, vostro",
    "pronoun": "questo, quello, ciò, lui, essa, loro",
    "article": "il, lo, la, i, gli, le, l, ogni, tutti, tutte, nostro, nostra, mio, mia",
    "filler": """
        ok, va bene, sì, si, bene, e, ma, allora, ah, oh, ciao, grazie, certo, perfetto, giusto, esatto,
        comunque, a proposito, in realtà, buongiorno, buonasera, capito, ottimo, dai, senti, d accordo, fatto
    """,
    "no": "no, nessun, nessuna, niente, zero",
    "noted": "annotato, capito, fatto, ok, va bene, grazie",
    "offer": "posso, vuoi che, vuole che, ti va, devo, vuoi, vorresti, desidera",
    "asks": "come, perché, quando, dove, chi, quale, quali, cosa, quanto, quanta, quanti, qualcuno sa, qualcuno ha",
    "if": "se",
    "unreal": "sarebbe, sarebbero, avrebbe, potrebbe, potremmo, fosse, avessimo, avessi, andrei",
    "supposing": """
        immagina, immaginiamo, supponiamo, e se, mettiamo, se mai, semmai, se un giorno, se vinco, se
        vinciamo, se fossi, se avessi, se avessimo, se fosse per, in un mondo, magari un giorno, metti che,
        nel caso
    """,
    "unsure": """
        forse, magari, probabilmente, non so, boh, credo, penso che, suppongo, spero, non sono sicuro,
        chissà, vediamo, direi, immagino, mi sa che, sarà, può darsi, potrebbe, potrebbero, scommetto,
        secondo me, un giorno, sarebbe bello, chi lo sa, possibile che, a occhio, mi pare, mi sembra, a naso,
        non ne sono sicuro, non sono sicura, chi sa, può essere, dovrebbe essere, deve essere, credo che,
        penso, a mio parere, ho l impressione, se non sbaglio, se ricordo bene, ad occhio, sono quasi sicuro,
        sicuramente sarà
    """,
    "rumour": """
        dicono che, si dice, ho sentito, pare che, a quanto pare, voci, pettegolezzo, sembra che, mi hanno
        detto, qualcuno ha detto, qualcuno mi ha, corre voce, gira voce, stando a, presumibilmente, a detta
        di, giura che, sostiene che, pare, dicono, dicevano che, si vocifera, si mormora, pettegolezzi,
        girano voci, ho letto, letto da qualche, su internet dicono, la gente dice, mi è stato detto, me l ha
        detto, per sentito dire, sentito dire, radio corridoio
    """,
    "sarcasm": """
        ma certo, figurati, che sorpresa, fantastico un altro, che gioia, che bello un altro, complimenti
        davvero, ci mancava, sì certo, sì sì, come no, certo come no, ma figuriamoci, figuriamoci, bella
        roba, che fortuna, che meraviglia, che bellezza, evviva, grazie tante, tante grazie, il sogno di, ci
        credo, bravo davvero, fantastico ancora
    """,
    "hearsayer": """
        gente, qualcuno, vicino, vicina, vicini, amico, amica, cugino, cugina, zio, zia, nipote, cognato,
        barbiere, parrucchiera, tassista, testimone, internet, forum, giornale, pubblicità, cartello,
        volantino, tutti, molti, loro
    """,
    "reported": """
        dice, dicono, disse, ha detto, hanno detto, racconta, raccontano, sostiene, giura, giurano, scrive,
        ha scritto, sentito, letto
    """,
    "imperative": """
        manda, mandami, fai, fammi, mostra, mostrami, dammi, cerca, cercami, scrivi, metti, controlla, apri,
        aggiungi, cancella, chiama, porta, dimmi, guarda, prepara, prenota, invia
    """,
    "request": "puoi, potresti, può, per favore, per piacere, aiutami, andiamo, ho bisogno che, mi puoi, mi fai",
    "please": "per favore, per piacere",
    "standing": """
        sempre, mai, solo, soltanto, unicamente, d ora in poi, da ora in poi, in futuro, invece di, piuttosto
        che, al massimo, massimo, almeno, non più, mai più, ogni volta, di norma
    """,
    "only": "solo, soltanto, unicamente, al massimo",
    "calling": "chiamami, mi chiamo, puoi chiamarmi",
    "settled": """
        abbiamo deciso, ho deciso, abbiamo scelto, ho scelto, si è deciso, è stato deciso, abbiamo
        concordato, siamo d accordo, restiamo con, usiamo, useremo, teniamo, passiamo a, andiamo con,
        optiamo, è deciso, ha deciso, ha votato, ha approvato, è approvato
    """,
    "ruling": "d ora in poi, da ora in poi, regola, obbligatorio, vietato, politica, norma",
    "necessity": "deve, devono, bisogna, si deve, non si può, occorre, va fatto",
    "stays": "resta, restano, rimane, rimangono",
    "likes": """
        preferisco, preferiamo, preferisce, piace, piacciono, adoro, odio, odia, detesto, detesta, amo,
        non sopporto, preferito, preferita, mi va bene, fa per me, non fa per me, non sono un fan, niente
        batte, mi dà fastidio, odio quando
    """,
    "habit": "sempre, mai, di solito, normalmente",
    "attempt": """
        provato, abbiamo provato, ho provato, tentato, ultima volta, la scorsa volta, prova, ci siamo
        fidati, affidato, affidata, mi sono fidato, una volta
    """,
    "deed": """
        abbiamo, ho, messo, usato, fatto, con, comprato, ordinato, lasciato, preso, scelto, lavato,
        prenotato, affidato, piantato, senza, con il, con la, mettere, lavare, usare, comprare
    """,
    "failure": """
        fallito, rotto, rotta, rotti, non ha funzionato, non funziona, perso, persi, troppo lento, troppo
        tardi, troppo, peggio, disastro, caos, bruciato, sciolto, sciolte, sciolti, perdita, malato,
        male, errore, lamentele, rovinato, rovinati, bloccato, caduto, bagnato, buttato, buttare,
        saltato, guasto, crollato, ammuffito, strappato, storto, in ritardo, ritardo, rovinata, rovina,
        rovinò, bruciata, bruciati, brucia, bruciano, ristretto, ristretta, scolorito, macchiato,
        macchia, graffiato, scrostato, scrostata, scollato, scollata, crepato, crepata, arrugginito,
        arrugginisce, marcito, marcita, marcisce, appassito, seccato, seccate, traboccato, allagato,
        gelato tutto, ghiacciato, surriscaldato, surriscalda, inceppato, inceppa, intasato, blocca,
        bloccata, cade, caduta, caduti, scoppiato, esploso, spaccato, spaccata, si spacca, perdono, perso
        tutto, rubato, ferito, infettato, allergia, sfogo, emicrania, mal di, multa, multati, penale,
        causa legale, rimborso, reclami, fiasco, fallimento, inferno, incubo, pasticcio, inutile, invano,
        per niente, non serve, non è servito, non serve a niente, non regge, non ha retto, non tiene, non
        ha tenuto, nessuno è venuto, nessuno viene, nessuno ha letto, nessuno legge, troppo caro,
        costato, costata, ci è costato, mi è costato, caro prezzo, saltata, saltati, sparito, spariti,
        sbagliato, sbagliata, doppia prenotazione, ammuffita, inacidito, impazzita, sgonfiato, storta, a
        pezzi, tutto da rifare, da rifare, rifatto
    """,
    "regret": """
        mai più, non ripetere, non rifare, errore, lezione, imparato, pentito, andata male, andato male,
        uno sbaglio, è stato uno sbaglio, è stato un errore, un errore, pessima idea, brutta idea,
        cattiva idea, non è stata una buona, non ne vale la pena, non vale la pena, perdita di tempo,
        soldi buttati, tempo buttato, non lo rifarei, non lo rifaccio, avremmo dovuto, avrei dovuto, col
        senno di poi, state alla larga, stai alla larga, alla larga da, sconsiglio, a nostre spese, a mie
        spese, mai e poi mai, attenti a
    """,
    "avoid": "mai, non, evitare, evita, niente, basta, non usare",
    "remedy": "invece, meglio, quindi, perciò, solo, al posto",
    "past": "anno scorso, l anno scorso, ultima volta, mese scorso, la scorsa, prima, 2021, 2022, 2023, 2024, 2025",
    "success": "ha funzionato, funziona bene, andata bene",
    "identity": """
        sono, abito, vivo, lavoro, mi chiamo, ho un, ho una, ho due, il mio nome, mia moglie, mio marito, mia
        figlia, mio figlio, parlo, insegno, studio, sono nato, guido, allergico, allergica
    """,
    "kin": """
        moglie, marito, figlia, figlio, fratello, sorella, madre, padre, cane, gatto, capo, figli, genitori,
        suocera
    """,
    "present": "è, sono, ha, hanno, ho, abbiamo, siamo, c è, ci sono",
    "stative": """
        chiude, apre, costa, comincia, inizia, finisce, vive, lavora, fa, va, viene, dura, usa, contiene,
        arriva, arrivano, parte, mangia, beve, dipende, accetta, vale, serve, servono, deve, resta,
        raccogliamo, porta, sta, bisogna
    """,
    "schedule": """
        ogni, tutti i, tutte le, lunedì, martedì, mercoledì, giovedì, venerdì, sabato, domenica, scadenza,
        entro, alle, settimanale, mensile, giornaliero
    """,
    "date": """
        gennaio, febbraio, marzo, aprile, maggio, giugno, luglio, agosto, settembre, ottobre, novembre,
        dicembre, lunedì, martedì, mercoledì, giovedì, venerdì, sabato, domenica, settimana prossima, mese
        prossimo, pasqua, natale
    """,
    "until": "fino, fino a, fino al, per ora, temporaneamente, finché",
    "planned": """
        ferie, vacanza, vacanze, viaggio, assente, appuntamento, prenotato, iscritto, iscritta, conferenza,
        sarò, sostituisce
    """,
    "moment": "adesso, oggi, ieri, ora, subito, ancora, domani, appena, tra poco",
    "opinion": "bene, bello, bella, strano, buffo, stanco, contento, carino, peccato, fantastico, buono",
    "progress": "fatto, pronto, in corso, inviato, aggiornato, salvato, finito, ci penso, ecco, arrivo",
    "because": "perché, poiché, quindi, siccome, perciò, altrimenti, dato che",
    "reason": "perché, poiché, il motivo",
    "negation": "non, mai, no",
    "modal": "potrebbe, dovrebbe, sarebbe",
    "joke": """
        ahah, haha, lol, scherzo, ahaha, ahahah, scherzi, xd
    """,
    "secret": "password, parola d ordine, pin, chiave, token, codice",
    "ever": "sempre, mai",
    "again": "ancora, di nuovo",
    "sequel": "e, ed, poi, quindi, così, finché",
    "warn": """
        mai, non mettete, non mettere, non usare, non usate, non lasciare, non comprare, evita, evitate,
        attento, attenzione, occhio
    """,
    "soon": "in un mese, in una settimana, in due, dopo due, dopo una, dopo un, ogni volta, in pochi",
    "cheap": "economico, economica, da quattro soldi, vecchio, vecchia, usato, usata",
}

ITALIAN = lexicon("it", _COMMON, _CLASSES)
