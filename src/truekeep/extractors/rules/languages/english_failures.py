"""English: words that tell how something went wrong, whatever it was."""

from __future__ import annotations

from truekeep.extractors.rules.inflection import inflected

# The bare form occurs in "makes the paint crack".
_GOES_WRONG = inflected(
    """
    backfire, blister, bubble up, capsize, chafe, choke, clog+, clump, collapse, collide, congeal, contaminate,
    corrode, corrupt, crack, crash, crumble, crumple, curdle, deform, degrade, derail, desync, deteriorate,
    discolour, disintegrate, diverge, double-book, electrocute, erode, explode, fade, fail, fizzle out, flare up,
    flicker, flop+, fray, freak out, glitch, hallucinate, implode, infect, inflame, injure, jam+, knock over, leak,
    lock up, malfunction, mangle, misalign, misfire, misjudge, mislabel, misprint, miss out, nosedive, ooze, overbook,
    overcharge, overcook, overcrowd, overflow, overheat, overload, overpay, overrun, overshoot, peel off, perish,
    pile up, plummet, pop+ off, puncture, regress, relapse, rip+, rot+, ruin, rupture, rust, sabotage, sag+, scald,
    scorch, scratch, seep, seize up, shatter, short-circuit, shred+, shrivel, skid+, slip+ off, smash, smear, smudge,
    snap+, soak through, splinter, spoil, sprain, stagnate, stain, starve, stumble, stutter, suffocate, swell up,
    tangle, tarnish, throttle, time out, tip+ over, topple, trip+ over, undercook, unravel, vanish, vomit, warp,
    wear out, wilt, wobble, wreck
    """
)
_WENT_WRONG = """
    bled, buckled, drowned, losing, spoilt, stank, stalled, chipped, went missing, went astray, went sour,
    went stale, went cold, went bad, went bust, went under, went nowhere, went flat, gone bad, gone wrong, ended
    badly, not end well, got nowhere, got us fined, got me fired, was down, were down, not go down well, landed us,
    landed me, cost him, cost her, cost them, cost everyone, costs us, costs me, costing us, nearly cost, almost
    cost, nearly killed, almost killed, nearly lost, almost lost, set us back, set me back, sets us back, put us
    behind, fell asleep, fell through, fell flat, fell behind, fell short, falls flat, falls short, fall apart, fall
    over, came loose, comes loose, came apart, comes apart, came undone, never set, never arrived, never came, never
    opened, never worked, never dried, never recovered, never showed up, never paid, never healed, never rose, never
    turned up, not turn up, not show up, nobody showed, nobody came, nobody shows, nobody comes, nobody bought,
    nobody reads, nobody pays, nobody answered, nobody answers, nobody signed, nobody turned up, no one came, no one
    showed, no one bought, no takers, hardly anyone came, not go well, not take off, not pay off, not pan out, not
    hold up, not cope, not keep up, not stand up to, not bring in, not rise, not set, not dry, not last, not fix,
    not catch on, not arrive, not heal, proved too, proved useless, proved fatal, proved wrong, too cold, too loud,
    too hot, too few, too weak, too heavy, too soft, too hard, too thin, too thick, too dry, too wet, too expensive,
    too salty, too sweet, too dark, too fast, a week late, weeks late, days late, an hour late, hours late, months
    late, came up short, made a loss, at a loss, out of pocket, lost us, lost me, loses us, loses you, drove away,
    put off, scared off, scared away, tore us, tore me
"""
_STATES = """
    bruises, chaotic, complaint, cramps, debt, diarrhoea, disastrous, a dud, fatal, fiasco, fines, flooding, flimsy,
    futile, gibberish, gunk, havoc, heartburn, hives, in stitches, infection, injuries, injured, leaky, lumpy,
    lumps, mayhem, messy, mushy, nausea, pointless, rancid, redone, redid, rip-off, rubbery, scam, scammed,
    shambles, slimy, streaky, sunburn, tacky for, two versions, unbearable, uneven, unworkable, unresponsive,
    worthless, wonky, awful, rubbish, dented, exhausted, stranded, abandoned, toxic, poisonous, interferes,
    interfere, interfered, quarrel, inedible, tasteless, undrinkable, illegible, inaudible, cramped, slippery,
    lopsided, skewed, biased, overfitted, voided, voids the, unsold, overworked, understaffed, short-staffed,
    sunburnt, concussed, dehydrated, hoarse, tantrum, meltdown, stormed out, gave notice, pulled out, backed out,
    ghosted, cheated, conned, ripped us off, hidden fees, in the red, overdraft, chargeback, regression, gums up,
    gummed up, sheared, sheared off, shears off, closed us, shut us down, chlorine gas, caught fire, catches fire,
    set fire, fell for, phishing, came to nothing, yielded nothing, led nowhere, brought nothing, got shared, holes
    everywhere, bored stiff, resigned, hated the, hated it, gearbox gone, tore open, burst open, broke down, breaks
    down, blew out, burnt down, washed away, blown away, blew away, blew off
"""

FAILURES = f"{_GOES_WRONG}, {_WENT_WRONG}, {_STATES}"

# Words that tell of harm beside a deed or a warning, and of anything else elsewhere.
MISHAPS = """
    too, gone, quit, returned, missing, wet, damp, loose, sticky, greasy, dusty, muddy, patchy, bored, restless,
    rude, cruel, unfair, risky, exhausting, confusing, painful, embarrassing, uncomfortable, expensive, pricey,
    bland, outdated, incomplete, insufficient, invalid, illegal, unfinished, strangers, swore, argued, sulked,
    dropped out, fell out, bailed, surcharge, made me, threw everything, threw it, members left, guests left, staff
    left, customers left, people left, left early, without papers, holes, drop things, hangs, flat, raw, blunt,
    sticks, fell, falls, dead, separates, separated, splits, split, sparks, bubbles, yellow, sting, stings, itches,
    swell, swells, swelled, sour, spill, panic, confused, confuses, upset, sore, numb, overdue, a pain, hazard,
    hell, horror, in tears, surgery, awkward, limp, runny, ugly, terrible, worst, tears, bust, waste, a waste, waste
    of, got us, got me, got him, got her, got them, gets us, gets you, gets me, get you, gave me, gave us, gave him,
    gave her, gave everyone, gives me, gives you, gives us, left us, left me, left him, left her, left them, left
    everyone, left half, left a, leaves a, leaves scratches, leaves marks, leaves stains, leaves streaks, cost a,
    cost the, cost half, ended in, landed in, threw us, knocked out, came out, lasted two, lasted a, lasted one,
    lasted three, only lasted, barely, nobody had, nobody could, nobody knew, nobody, no one, hardly anyone, not a
    single, not one of, went off, sleeps, shut, spinner, foxes, mice, rats, slugs, moths, ants, hail, frost, smoke,
    smell, smells, stinks, noise, blanked, outgrew, bald, glare, echo, echoes, draught, slows, slowed, crooked,
    unpaid
"""

# What comes of something. With the deed as the subject, and told as past, it is an experience.
RESULTED = """
    brought, cost, left, made, gave, got, ended, led, meant, turned, took, drove, caused, set, put, sent, stripped, ate,
    threw, cut, let, attracted, killed, ruined, triggered, resulted, bit, earned us, earned me, let in, dragged, knocked
"""
RESULTS = "makes, gives, leaves, brings, means, causes, gets, invites, attracts, leads, turns, ends, costs, ="
GAINS = """
    better, faster, easier, happy, happier, saves, saved, improved, improves, best, calmer, fun, perfect, lovely, nicer,
    cheaper, smoother, helps, helped, relaxes, great, good, calm, quicker
"""
