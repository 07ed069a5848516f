"""French: its classes of words; `english` explains them."""

from __future__ import annotations

from truekeep.extractors.rules.lexicon import lexicon

_COMMON = """
    le la les un une des de du et est pas je nous on vous tu il elle ils que qui dans pour sur avec au aux en ce
    cette ces mon ma mes notre nos son sa ses ne se par plus ou mais si a ont sont fait être avoir j l d c n s qu
    y deux ça
"""

_CLASSES = {
    "i": "je, j, moi",
    "we": "nous, on",
    "own": "mon, ma, mes, notre, nos",
    "you": "tu, toi, te, ton, ta, tes, vous, votre, vos",
    "pronoun": "ça, cela, ce, c, il, elle, ils, elles",
    "article": "le, la, les, l, tous, toutes, chaque, notre, nos, mon, ma, mes",
    "filler": """
        ok, oui, bien, et, mais, donc, alors, ah, oh, salut, bonjour, bonsoir, merci, d accord, parfait,
        super, exact, voilà, au fait, franchement, en fait, bon, très bien, entendu, compris, ouais, génial,
        finalement
    """,
    "no": "non, pas de, aucun, aucune, zéro",
    "noted": "noté, compris, entendu, fait, ok, merci, c est noté",
    "offer": "je peux, je vais, voulez-vous, veux-tu, souhaitez-vous, dois-je, tu veux, vous voulez",
    "asks": "comment, pourquoi, quand, où, qui, quel, quelle, quels, quelles, combien, est-ce, qu est-ce, quelqu un",
    "if": "si",
    "unreal": "serait, seraient, aurait, auraient, pourrait, pourrions, était, avait, ferait, irait",
    "supposing": """
        imagine, imaginons, supposons, et si, admettons, si jamais, si un jour, si j étais, si on était, si j
        avais, si on avait, si je gagne, si on gagne, au cas où, dans un monde, à supposer, mettons que,
        disons que
    """,
    "unsure": """
        peut-être, probablement, sans doute, aucune idée, pas sûr, pas sûre, je pense, je crois, on verra, je
        suppose, j espère, éventuellement, n importe, je dirais, peut être, il se peut, je parie, j imagine,
        à mon avis, me semble, semble que, si ça se trouve, un jour peut-être, ce serait, je devine, à vue de
        nez, j ai l impression, il me semble, je dirais que, selon moi, sûrement, certainement que, si je me
        souviens, je sais pas, je ne sais pas, va savoir, qui sait, sauf erreur, il est possible, c est
        possible, faut voir, à voir, ça doit, doit être, ça sent le, je mise, mon petit doigt
    """,
    "rumour": """
        il paraît, paraît-il, apparemment, rumeur, rumeurs, j ai entendu, entendu dire, on dit que,
        soi-disant, on raconte, le bruit court, d après ce qu, à ce qu il, quelqu un m a, on m a dit,
        prétend, jure que, prétendument, aurait, auraient, paraît que, parait que, il parait, parait-il,
        ragot, ragots, les gens disent, ils disent que, y en a qui, certains disent, il se dit, j ai lu, lu
        quelque part, vu sur internet, bruits de couloir, dit-on, serait, seraient, on m a raconté, à en
        croire
    """,
    "sarcasm": """
        ben voyons, génial encore, comme par hasard, quelle surprise, bravo, super encore, formidable encore,
        quelle joie, merci bien, ben tiens, mais bien sûr, mais oui bien, bien sûr bien, c est ça, ouais c
        est, quel bonheur, trop bien encore, merveilleux encore, on y croit, c est cela oui, la blague, tu
        parles, mon œil, et moi je suis, le rêve quoi, magnifique encore, quelle chance
    """,
    "hearsayer": """
        gens, quelqu, voisin, voisine, voisins, pote, copain, copine, ami, amie, cousin, cousine, oncle,
        tante, neveu, beau-frère, coiffeur, coiffeuse, chauffeur, témoin, internet, forum, journal, pub,
        publicité, panneau, affiche, tout le monde, certains, ils
    """,
    "reported": """
        dit, disent, disait, raconte, racontent, prétend, prétendent, affirme, jure, jurent, écrit, entendu,
        lu
    """,
    "imperative": """
        envoie, envoyez, fais, faites, montre, montrez, donne, donnez, cherche, cherchez, écris, écrivez,
        mets, mettez, réserve, réservez, vérifie, vérifiez, ouvre, ajoute, ajoutez, supprime, appelle,
        rappelle, prends, dis, regarde
    """,
    "request": """
        peux-tu, pouvez-vous, tu peux, vous pouvez, pourrais-tu, pourriez-vous, s il te plaît, s il vous
        plaît, aide-moi
    """,
    "please": "s il te plaît, s il vous plaît, stp, svp",
    "standing": """
        toujours, jamais, seulement, uniquement, désormais, dorénavant, à partir de maintenant, à l avenir,
        plutôt que, au lieu de, au maximum, maximum, au moins, plus jamais, chaque fois, exclusivement, que
        des, par défaut
    """,
    "only": "seulement, uniquement, au maximum, maximum, exclusivement, que des",
    "calling": "appelle-moi, appelez-moi, je m appelle, tu peux m appeler",
    "settled": """
        avons décidé, a décidé, ai décidé, avons choisi, a choisi, ai choisi, est décidé, avons opté, on
        garde, on prend, on part sur, nous gardons, nous prenons, on reste sur, a été décidé, avons
        convenu, on passe à, a voté, a tranché, est acté, est validé, a validé
    """,
    "ruling": "désormais, dorénavant, règle, obligatoire, interdit, consigne, à partir de maintenant, politique",
    "necessity": "doit, doivent, faut, il faut, ne doit pas, interdit, obligatoire",
    "stays": "reste, restent",
    "likes": """
        préfère, préférons, préfèrent, aime, aimons, adore, déteste, détestons, favori, favorite,
        préféré, préférée, supporte pas, horreur de, apprécie, suis pas fan, pas mon truc, rien ne vaut,
        me convient, m énerve, m agace
    """,
    "habit": "toujours, jamais, d habitude",
    "attempt": """
        essayé, testé, tenté, la dernière fois, essai, on a voulu, a voulu, avons voulu, fait confiance,
        confié, une fois
    """,
    "deed": """
        avons, ai, a, avait, en, mis, pris, acheté, commandé, utilisé, laissé, confié, choisi, réservé,
        lavé, peint, stocké, sans
    """,
    "failure": """
        échoué, cassé, cassée, cassés, planté, marche pas, marchait pas, pas marché, pas fonctionné,
        perdu, trop lent, trop tard, trop cher, pire, catastrophe, désastre, brûlé, fondu, fuite, malade,
        raté, erreur, plaintes, abîmé, bloqué, déclenché, tombé, tombée, effondré, moisi, inondé,
        déchiré, gâché, panne, casse, plante, renversé, lâché, lâche, écaillé, écaille, décollé, décolle,
        gondole, gondolé, gonflé, fissuré, craqué, brisé, brisée, éclaté, explosé, rouillé, rouille,
        pourri, pourrie, pourrit, fané, séché, tourné, caillé, débordé, déborde, fuit, fui, coule, coulé,
        noyé, gelé, gèle, surchauffe, surchauffé, disjoncté, disjoncte, sauté, saute, bouché, bouche,
        coincé, coince, rayé, taché, tache, décoloré, rétréci, ruiné, détruit, volé, blessé, blessée,
        brûlée, brûle, brûlent, infecté, allergie, boutons, migraine, mal au, amende, pénalité, procès,
        remboursement, litige, plainte, réclamations, retard, en retard, fiasco, flop, échec, enfer,
        cauchemar, gâchis, galère, ratée, ratés, inutile, en vain, pour rien, sert à rien, servi à rien,
        rien donné, personne n est, personne ne, trop froid, trop chaud, trop lourd, trop peu, trop
        petit, trop court, trop fin, trop bruyant, trop tôt, coûté, fait perdre, perd, perdent, perdue,
        perdus, pris l humidité, tient pas, tenu pas, pas tenu, ne tient, ne marche, ne fonctionne, mal
        tourné, tourné au, mal fini, tombés, tombées, abandonné, oublié, refusé, déformé, disparu,
        mélangé, doublon, deux fois le, retrouvés avec, retrouvé avec, moisie, moisissure
    """,
    "regret": """
        plus jamais, à éviter, ne plus, erreur, leçon, regrette, c est fini, ne pas refaire, mauvaise
        idée, pas une bonne idée, était une erreur, fut une erreur, une erreur de, m y reprendra, nous y
        reprendra, on m y, ne referai, ne referons, regretté, aurait dû, aurions dû, aurais dû, avec le
        recul, perte de temps, perte d argent, vaut pas la peine, à fuir, fuyez, déconseille, à nos
        dépens, à mes dépens, appris à, à proscrire, plus question
    """,
    "avoid": "jamais, éviter, évite, évitez, ne pas, surtout pas, pas de, arrête, n utilise, n utilisez",
    "remedy": "à la place, plutôt, mieux, donc, du coup, au lieu",
    "past": """
        l an dernier, année dernière, l année dernière, la dernière fois, le mois dernier, dernier, dernière,
        avant, 2021, 2022, 2023, 2024, 2025
    """,
    "success": "marche bien, a marché, fonctionne bien",
    "identity": """
        je suis, j habite, je travaille, je vis, j ai un, j ai une, j ai deux, je m appelle, je viens de, mon
        mari, ma femme, ma fille, mon fils, je parle, j enseigne, je dirige, allergique
    """,
    "kin": "mari, femme, fille, fils, frère, soeur, sœur, mère, père, chien, chat, patron, enfants, parents",
    "present": "est, sont, suis, a, ont, ai, avons, sommes",
    "stative": """
        faut, ferme, ouvre, coûte, commence, finit, habite, travaille, fait, doit, doivent, va, vient, dure,
        utilise, utilisons, contient, arrive, reste, part, mange, boit, appartient, dépend, accepte, vaut, se
        trouve, peut pas
    """,
    "schedule": """
        chaque, tous les, toutes les, lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche, lundis,
        mardis, heures, h, semaine, délai, échéance, au plus tard, quotidien, hebdomadaire
    """,
    "date": """
        janvier, février, mars, avril, mai, juin, juillet, août, septembre, octobre, novembre, décembre,
        lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche, semaine prochaine, mois prochain, pâques,
        noël
    """,
    "until": "jusqu, jusqu à, provisoirement, pour l instant, jusqu au, jusqu en",
    "planned": """
        vacances, congé, absent, absente, voyage, rendez-vous, réservé, inscrit, inscrite, conférence,
        remplace, serai
    """,
    "moment": "maintenant, aujourd hui, hier, tout de suite, en cours, demain, pas encore, encore, là",
    "opinion": "bien, super, joli, beau, drôle, bizarre, génial, cool, fatigué, content, sympa, dommage",
    "progress": "fait, terminé, en cours, envoyé, mis à jour, enregistré, je m en occupe, voilà, voici, c est parti",
    "because": "parce que, car, donc, comme, puisque, pour que, sinon, à cause",
    "reason": "parce que, parce qu, car, la raison",
    "negation": "pas, jamais, ne, n",
    "modal": "pourrait, devrait, serait",
    "joke": """
        mdr, lol, haha, blague, ptdr, je rigole, je plaisante, hihi, xd
    """,
    "secret": "mot de passe, code, clé, jeton, identifiant",
    "ever": "toujours, jamais",
    "again": "encore, à nouveau",
    "sequel": "et, puis, résultat, alors, donc, du coup",
    "warn": """
        jamais, surtout pas, évitez, évite, ne mettez, ne mets, n utilisez, ne faites, ne fais, ne
        laissez, ne laisse, attention, gare, fuyez
    """,
    "soon": "au bout de, en deux, en une, en un, après deux, après une, à chaque fois, chaque fois, dès la première",
    "cheap": "bon marché, pas cher, pas chère, premier prix, d occasion, vieux, vieille",
}

FRENCH = lexicon("fr", _COMMON, _CLASSES)
