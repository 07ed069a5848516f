"""Words that carry the language of change, in several languages; folded to lower case, without accents.

Small on purpose: numbers, names, dates and the words that two statements share decide most pairs. A word belongs here
when it says *that* something changed, ended, was added, stayed or was denied.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SECOND_PERSON = _words(
    """
    you your yours you're deine dein ihre vous votre vos tu tus tuo tua seu sua jouw je
    """
)
# That something is another way now.
CHANGE_WORDS = _words(
    """
    now nowadays switched switch switching switches migrated migrating migrate changed change changes changing
    replaced replaces replacing replace replacement swapped swap swapping instead became become becomes turned
    upgraded upgrade downgraded updated correction corrected rewrote rewritten rebuilt renamed rebranded rescheduled
    postponed revised bumped stretch raised lowered increased decreased reduced cut doubled halved moved moving move
    moves relocated shifted converted new newly anymore rolled reverted promoted merged extended shortened dropped
    drops successor succeeds succeeded succeeding inherits inherited appointed elected handed handing hands
    reassigned reorganised jetzt nun inzwischen mittlerweile neu neue neuer neues neuen gewechselt wechselt wechseln
    umgestellt umgezogen umzug geandert verlegt verschoben ersetzt statt stattdessen kunftig korrektur ubernimmt
    ubernommen nachfolger nachfolgerin erhoht gesenkt maintenant desormais dorenavant nouveau nouvelle nouvel
    nouveaux remplace remplacee remplacent passe passee passons changee deplace reporte reportee avance succede
    demenage reprend ahora nuevo nueva nuevos nuevas cambio cambiado cambiamos cambia reemplaza sustituye pasa
    pasamos mudamos mude mudado traslado aplazado aplaza sucede releva ora adesso nuovo nuova nuovi nuove cambiato
    passato passati sostituisce sostituito spostato spostata rinviato trasferito subentra agora novo nova novos
    novas mudou mudei passou passamos substitui substituiu trocamos trocou transferido adiado assume nu nieuw nieuwe
    overgestapt stappen veranderd vervangt vervangen verplaatst verhuisd voortaan opvolger gewijzigd ny nytt nya
    bytt byter istallet flyttat flyttar teraz nowy nowa nowe zmiana zmienil zmienila zamiast przeniesiony przejmuje
    """
)
# Back as it was, or said once more.
AGAIN = _words("again nochmal nochmals wieder encore nuevamente nuovamente novamente opnieuw weer igen znowu")
# That something has come to its end.
END_WORDS = _words(
    """
    leaving gave cancels sells scrap lost pulled left quit retired resigned closed ended expired lapsed
    decommissioned removed cancelled canceled dropped sold died stopped lifted discontinued fired revoked withdrew
    withdrawn abandoned deprecated scrapped sunset dissolved dismantled gone wiped ditched axed terminated
    uninstalled departed dumped unsubscribed verlassen gekundigt beendet aufgehort abgeschafft geschlossen abgesagt
    gestrichen eingestellt verkauft entfernt weg quitte quittee parti partie arrete arretee ferme fermee supprime
    supprimee annule annulee termine vendu abandonne dejo dejado dejamos termino cancelado cancelada cerro cerrado
    vendio vendido eliminado abandono lasciato lasciata smesso finito chiuso chiusa cancellato annullato venduto
    eliminato saiu parou parei acabou fechou vendeu removido deixou deixei gestopt vertrokken opgezegd gesloten
    geannuleerd verkocht verwijderd afgeschaft slutat stangt sald borttagen odszedl zamkniety sprzedany
    """
)
DENIALS = _words(
    """
    not no never none neither nor without cannot hardly barely nicht kein keine keinen keiner keinem nie niemals pas
    jamais aucun aucune ne nunca ningun ninguna jamas non mai nessun nessuna nao nenhum niet geen nooit inte ingen
    aldrig
    """
)
# What one feels about something; the rest of the clause is what it is about.
TASTE = _words(
    """
    preference preferences like likes liked love loves loved enjoy enjoys enjoying fan prefer prefers preferred
    adore adores fond keen hate hates hated dislike dislikes detest detests loathe mag liebe liebt gern gerne aime
    aimons deteste gusta gustan encanta encantan odio odia adora piace piacciono adoro gosto gosta hou houdt haat
    gillar hatar lubie
    """
)
# Against: what one feels or forbids.
HATES = _words(
    """
    hate hates hated dislike dislikes detest detests loathe avoid avoids allergic sick headaches forbidden banned
    ban prohibited refuse refuses against disallowed hasse hasst verboten deteste odio odia interdit interdits
    interdite interdites prohibidos prohibido vietato proibido verboden haat hatar
    """
)
# That it is not so, without a "not".
NEGATIVE = _words(
    """
    broken fails failing failed offline unavailable impossible unsafe missing invalid defective unable kaputt defekt
    casse roto rota rotto rotta quebrado stuk trasig nobody
    """
)
# That something comes to what is there already.
ADDED_WORDS = _words(
    """
    also too another additional additionally additionaly besides plus add added adds adding extra moreover likewise
    alongside auch ausserdem zusatzlich weitere weiterer weiteres noch aussi egalement autre ajoute tambien otro
    otra ademas anche altro altra inoltre pure tambem outro outra alem ook daarnaast ocksa aven dessutom andra tez
    rowniez drugi druga
    """
)
# That something stays as it was.
SAME_WORDS = _words(
    """
    still unchanged remains remain stays unaffected continues keep keeps untouched weiterhin unverandert bleibt
    bleiben toujours reste restent inchange sigue siguen igual ancora resta rimane restano ainda continua continuam
    fica nog blijft blijven steeds fortfarande nadal
    """
)
# What many may be true of at once.
MULTIPLE = _words(
    """
    prefer prefers preferred
    allergic teach teaches reading ship ships supports offers sells like likes liked love loves loved enjoy enjoys
    enjoying speak speaks adopted bought reported complained asked visited met read watched collects plays know
    knows existed planted ordered invited adore adores spreche spricht mag liebe parle aime hablo habla gusta
    encanta parlo parla piace falo fala gosto spreek spreekt
    """
)
# Of which one thing is true at a time. "We now support 3.12", "she now called Ben": what was so may still be.
SINGLE = _words(
    """
    : = is are am was were be been s re m costs cost opens open closes close starts start begins begin ends end
    leaves leave departs depart arrives arrive lives live weighs weigh pays pay earns earn lasts last expires expire
    renews renew
    """
)
# What holds a sentence together and says nothing. A word too many here hides what somebody said.
HOLDING_TOGETHER = _words(
    """
    a an the that and i my we our am is are be been being has have do does of to for in at it its there please
    """
)
# Words of talking about what was said: no topic of their own.
NOISE = _words(
    """
    date dates happened happen happens told said say says tell note notes message messages earlier previous
    previously mentioned mention wrote theory wrong true mistake mistaken scratch disregard ignore forget strike
    delete remove erase mixed turns turned actually sorry looking another thought bit stuff apparently everyone mix
    misread withdrawn void yet know knew think believe guess vergiss falsch stimmt irrtum gesagt sagte ignoriere
    streiche oublie oubliez faux dit erreur olvida olvidar dije cierto verdad error dimentica detto vero sbagliato
    esquece esqueca disse verdade errado vergeet klopt fout gezegd negeer glom missforstand zapomnij
    """
)
