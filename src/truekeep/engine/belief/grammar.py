"""The small words that hold sentences together: for English, and taken together for its neighbours.

The same letters mean different things in different languages ("a", "no", "die", "war"), so a statement is read with one
of two tables: English, or that of all others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """What the small words of a language are for."""

    function: frozenset[str]  # say nothing about what a statement is about
    verbs: frozenset[str]
    binding: frozenset[str]  # verbs that bind without saying anything of their own
    first_person: frozenset[str]
    team: frozenset[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = Grammar(
    function=_words(
        """
        of a about above after ago all already always am an and any are as at away be because been before being
        below between both but by can could did do does doing done down during each ever every everything few for
        from full fully get gets getting got had has have having he her here hers herself him himself his how i if
        in into is it its itself just least less let lot many me mine more most much must my myself near nearly next
        off ok okay on once one only onto or other our ours out over per please pretty put quite rather really right
        same shall she should since so some someone something such than thanks that the their them then there these
        they thing things this those though through till to today together tomorrow tonight toward under until up
        upon us very via was we well were what whatever when where whether which while who whom whose why will with
        within without would yes yesterday you your yours btw fyi ps note noted heads way time times everyone anyone
        anything anybody nobody etc eg ie im ive ill id dont doesnt didnt isnt arent wasnt cant wont hes shes theyre
        weve youre thats theres lets re ve ll hi hey oh hello dear sure fine good great nice finally currently
        usually normally generally especially basically simply exactly around almost roughly approx ca circa hereby
        morning afternoon evening night week weeks month months year years day days moment record update info longer
        back
        """
    ),
    verbs=_words(
        """
        is are was were be am been s re m has have had got gets get goes go going went gone runs run ran uses use
        used using lives live lived living works work worked working wants want wanted needs need needed likes like
        liked loves love loved hates hate enjoys enjoy prefers prefer preferred speaks speak reports reported says
        said leaves leave left starts start started ends end ended opens open opened closes close closed costs cost
        pays pay paid takes take took taking makes make made keeps keep kept sits sit sat stands stand stood stays
        stay stayed moves move moved moving switches switch switched switching changes change changed becomes become
        became turns turned turn owns own owned handles handle handled leads lead led manages manage managed
        maintains maintained reviews review reviewed plays play played teaches teach taught studies study studied
        learns learn learning drives drive drove eats eat ate drinks drink drank wears wear requires require
        required accepts accept accepted allows allow allowed supports support supported expects expect expires
        expire renews renew shares share shared sharing sends send sent ships ship shipped lands land comes come
        came belongs belong contains contain holds hold held stores store stored writes write wrote rewrote written
        reads read serves serve served hosts host hosted formats formatted trained booked called named based set
        meets meet met arrives arrive arrived departs depart trains train feeds feed grows grow planted signed hired
        joined join joins quits quit retired retires resigned stepped stopped stops stop finished finish removed
        upgraded updated migrated replaced replaces swapped swap raised lowered increased dropped drops extended
        postponed rescheduled pushed delivers deliver delivered orders ordered charges charge bills must should can
        will may might would could earn earns earned weighs weigh feels feel measures measure tastes eating kicks
        kick bolted conducts conducted supervises audits covers cover covered treats begins begin began lasts last
        lasted follows follow faces cut smokes smoke carries carry visits visit hang hangs lies lie admits sings
        sung
        """
    ),
    binding=_words(
        """
        is are was were be am been s re m has have had got gets get goes go going went runs run ran sits sit sat
        stands stand stood stays stay stayed comes come came keeps keep kept takes take took makes make made becomes
        become became turns turned moves move moved switches switch switched changes change changed set based must
        should can will may might would could uses use used using need needs needed belongs belong lies lie hang
        hangs do does did not
        """
    ),
    first_person=_words("i me my mine myself"),
    team=_words("we us our ours ourselves"),
)
OTHERS = Grammar(
    function=_words(
        """
        nicht kein keine keinen keiner niemals pas jamais aucun aucune nunca ningun non nessun nao nenhum niet geen
        nooit inte ya gia ja al ich du er sie es wir ihr mein meine meinen meiner meinem unser unsere unseren
        unserer dein deine sein seine ihre der die das den dem des ein eine einen einer einem und oder aber auch ist
        sind war waren bin bist hat habe haben hatte wird werden wurde im in am an auf aus bei mit nach von vom zu
        zum zur fur um uber unter vor durch dass wenn weil als wie so noch schon nur sehr hier da dort man mich mir
        uns euch bitte immer alle alles beim ins bis woche tag monat jahr uhr je tu il elle on nous vous ils elles
        mon ma mes notre nos votre vos ton ta tes sa ses leur leurs le la les un une de et ou mais est sont suis
        sommes etait etaient a ai as avons avez ont au aux dans sur sous chez par pour avec sans que qui quoi dont
        ce cet cette ces ne se y en tres bien ici comme si toujours tout tous toute c j l d n s m qu semaine jour
        mois annee yo el ella nosotros mi mis nuestro nuestra nuestros nuestras su sus tus lo los las una unos unas
        o pero son soy somos era eran esta estan estoy estamos ha he hemos han del con sin por para me te muy aqui
        como siempre todo todos toda todas semana dia ano hay ser ver io lui lei noi voi loro mio mia miei mie
        nostro nostra nostri nostre suo sua suoi sue gli i uno ed e sono siamo abbiamo hanno ho nel nella nei nelle
        sul sulla dal dalla dello della dei delle degli allo alla di per tra fra che chi ti ci vi molto sempre tutto
        tutti tutta settimana giorno mese anno eu ele ela meu minha meus minhas nosso nossa nossos nossas seu os uma
        umas mas sao sou foi eram estao estou tem tenho temos no na nas do dos pelo pela ao aos com sem muito ik jij
        hij zij wij ons onze mijn jouw zijn haar hun het een of maar is was ben bent heeft heb hebben had wordt
        worden op aan uit bij met naar van voor over onder door dat omdat ook nog alleen heel zeer daar altijd week
        dag maand jaar jag hon mitt min mina var vart vara ar och eller men pa av till fran med for om som att det
        ett nasta ona my moj moja moje nasz nasza jest byl byla lub ale w we z ze od dla po przy co mehr piu plus
        meer langre
        """
    ),
    verbs=_words(
        """
        ist sind war hat haben habe bin wird werden wurde kostet wohne wohnt wohnen arbeite arbeitet heisst heisse
        heist fahrt beginnt startet endet liegt steht braucht nutzt nutzen verwenden verwendet mag trinkt trinke
        esse isst spreche spricht kommt geht macht leitet ubernimmt betreut bekommt gilt findet muss darf kann soll
        est sont suis a ont ai avons habite habitons travaille travaillons coute commence finit part arrive utilise
        utilisons aime prefere parle mange boit s'appelle appelle dirige reprend devient doit peut faut va vont
        prend ouvre ferme es son soy esta estan tiene tengo tenemos vive vivo trabaja trabajo cuesta empieza termina
        sale llega usa usamos utiliza gusta gustan prefiere prefiero habla come bebe llama sera pasa abre cierra
        debe puede sono siamo ha ho abbiamo abita abito lavora lavoro costa inizia finisce parte arriva usiamo piace
        preferisco parla mangia beve chiama diventa apre chiude deve passa e sao sou tem tenho temos mora moro
        trabalha trabalho custa comeca sai chega gosta gosto prefiro fala chama fica fecha vai is zijn ben heeft heb
        hebben woont woon werkt werk kost begint eindigt vertrekt komt gebruikt gebruiken houdt drinkt eet spreekt
        heet leidt wordt gaat moet kan staat ligt ar har bor jobbar arbetar heter kostar borjar slutar anvander
        kommer gar ska jest ma mieszka mieszkam pracuje kosztuje zaczyna konczy uzywa uzywamy lubi lubie hangt
        liefert bringt holt schreibt kauft spielt tragt fuhrt verkauft bezahlt zahlt livre porte joue reserve
        prenota serve vende compra paga zitten opiekuje bearbeitet dure fait trae traemos asumio
        """
    ),
    binding=_words(
        """
        ist sind war hat haben habe bin wird werden wurde liegt steht kommt geht macht gilt findet muss darf kann
        soll hangt est sont suis a ont ai avons va vont prend doit peut faut fait es son soy esta estan tiene tengo
        tenemos pasa debe puede trae sera sono siamo ha ho abbiamo deve passa e sao sou tem tenho temos fica vai
        zijn ben heeft heb hebben wordt gaat moet kan staat ligt ar har kommer gar ska jest ma
        """
    ),
    first_person=_words(
        """
        ich mich mir mein meine meinen meiner meinem je j me moi mon ma mes yo mi mis io mio mia miei mie eu meu
        minha meus minhas ik mij mijn jag min mitt mina ja moj moja moje
        """
    ),
    team=_words(
        """
        wir uns unser unsere unseren unserer nous notre nos nosotros nuestro nuestra nuestros nuestras noi nostro
        nostra nostri nostre nosso nossa nossos nossas wij we ons onze vi var vart vara nasz nasza nasze
        """
    ),
)
_IN_ENGLISH, _IN_OTHERS = ENGLISH.function | ENGLISH.verbs, OTHERS.function | OTHERS.verbs
_ENGLISH_ONLY, _OTHERS_ONLY = _IN_ENGLISH - _IN_OTHERS, _IN_OTHERS - _IN_ENGLISH


def grammar_of(words: Iterable[str], begun: Iterable[str] = ()) -> Grammar:
    """The table to read these folded words with; English in doubt.

    Args:
        words: the words of a text.
        begun: what it begins with, which may be a name.
    """
    told = frozenset(words)
    english = told.union(begun) & _ENGLISH_ONLY
    return OTHERS if len(told & _OTHERS_ONLY) > len(english) else ENGLISH
