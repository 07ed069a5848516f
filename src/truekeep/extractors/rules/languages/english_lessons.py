"""English: words that tell attempts, failures and regrets."""

from __future__ import annotations

from .english_failures import FAILURES, GAINS, MISHAPS, RESULTED, RESULTS

LESSONS = {
    # Lessons
    "attempt": """
        tried, attempted, first attempt, attempt, experimented, gave it a try, had a go, last time,
        trialled, attempting, trialed, experiment, experiments, pilot, piloted, first try, second try, in
        the pilot, we used, i used to, gave up on, gave up, a go, a try, a whirl, gave it a shot, one
        time we, one time i, rolled out, tightened, talked me into, talked us into, talked into
    """,
    "deed": """
        used, using, did, doing, had, put, got, let, gave, left, ran, booked, ordered, bought, trusted,
        relied, copied, checked, moved, added, took, set, forgot, assumed, shipped, sent, built, planted,
        cooked, baked, washed, mixed, stored, scheduled, hired, painted, opened, started, enabled,
        upgraded, merged, deployed, skipped, switched, picked, went, turned on, without, by, from, after
        we, after i, made, watered, fed, went with, went for, switched, changed, swapped, relied on,
        counted on, trusted, tied, hung, glued, handed, signed, lent, borrowed, paid, parked, stacked,
        washed, froze, cut, tested, chose, opted for, invited, asked, told, entrusted, gambled, bet,
        outsourced, underpriced, brought, kept, wore, ate, drank, drove, rented, leased, invested
    """,
    "failure": f"""
        {FAILURES}, failed, fails, fail, failure, failing, does not work, did not work, do not work, will
        not work, would not work, not working, not help, not scale, not fit, not hold, not survive, not
        stick, not last, broke, breaks, broken, crash, crashed, crashes, timed out, times out, time out,
        too slow, too long, too high, too low, too many, too much, too late, too early, too big, too
        small, too tight, no luck, without success, to no avail, worse, corrupted, corrupts, lost, loses,
        chokes, choked, hung, mangled, mangles, leaked, leaks, unstable, flaky, chaos, disaster,
        nightmare, backfired, crushed, ruined, ruins, burnt, burned, soggy, cracked, cracks, bounced,
        sick, wasted, wrecked, wrecks, mess, messed, wrong, exploded, blew, overheated, overheats,
        deadlock, deadlocked, deadlocks, unusable, useless, stuck, died, dies, kills, killed, drowned,
        rotted, rotten, injury, hurt, hurts, rash, collapsed, missed, duplicated, duplicates,
        double-charged, truncated, truncates, rejected, spams, flooded, out of memory, oom, throttled,
        rate-limited, unreliable, took down, fell over, fell apart, fell off, falls over, came off, came
        out, melted, tore, torn, shrank, scorched, spoiled, stained, warped, complained, complaints,
        angry, refused, garbled, garbage, silently, stutter, stutters, stuttered, outage, downtime, data
        loss, rolled back, reverted, redo, start over, fined, damaged, stale, nan, diverged, overfit, not
        be reproduced, no effect, no difference, clogged, jammed, tripped, tipped over, tipped, went out,
        spilled, slipped, flopped, mildew, mould, mold, headaches, headache, allergic reaction, went bad,
        smelled, smelt, snapped, bent, scratched, faded, peeled, leaking, spun out, blew up, swamped,
        overwhelmed, delayed, delays, never arrived, never came, bugs, backlash, double-booked, oversold,
        underestimated, overslept, unhappy, walked out, sank, jams, lose, hospital, turned to, turned
        into, froze, freezes, infected, rots, starves, starve, floods, burnt out, left us, nobody read,
        snag, snags, snagged, crooked, blurry, noisy, bounced back, got locked, locked out, locked the,
        locked us, got blocked, wiped, wipes, overwrote, overwrites, erased, deleted the, deleted all,
        freeze, nightmares, mouldy, moldy, in pieces, white dust, split in, pays late, arrived late, came
        late, drift, drifts, drifted, overflowed, overflows, ruin, swollen, itchy, bleeding, blisters,
        blister, trashed, wilted, wilts, sagged, seized, shorted, rusted, rusts, capsized, sour, curdled,
        went down, goes down, bankrupt, evacuation, lawsuit, penalty, refund, refunds, churned, cost us,
        cost me, badly, turned it, shrinks, shrink, bleeds, curls, peels, fades, lags, stalls, stalled,
        wobbles, overheat, trips the, tripped the, awkward, bloated, blurred, boiled over, boils over,
        brittle, buggy, burst, bursts, chipped, clashed, clashes, collided, contaminated, crumbled,
        crumbles, defective, degraded, degrades, disappeared, disappears, discoloured, disconnected,
        disconnects, drained, drains the, erratic, escalated, evaporated, faulty, flickered, flickers,
        frayed, glitched, glitches, incompatible, inconsistent, looped, loops forever, miscounted,
        misread, mismatch, misplaced, mixed up, mix-up, overcooked, overloaded, overloads, overran,
        overspent, panicked, poisoned, race condition, ripped, ruptured, scrambled, shattered, shaky,
        short-circuit, shut down, shuts down, skipped rows, sluggish, smashed, soaked, spiked, stolen,
        struggled, sunk, tangled, timeouts, trapped, trouble, unreadable, unsafe, vanished, vanishes,
        vibrates, vomited, wrinkled, to zero, ran out, doubled the, took forever, no response, never
        replied, could not handle, can not handle, not enough, only half, nobody came, no one read,
        nobody used, unable to, not able to, not possible, cut off, cuts off, locked up, locks up, locks
        the, kicked out, logged out, denied, wore out, worn out, ended up, had to redo, had to throw, had
        to start, thrown out, threw away, thrown away, hated it, returned it, sent back, missed the,
        falls apart, falls off, comes off, gets lost, got lost, gets stuck, got stuck, got sick, gets
        sick, got hurt, misses the, loses the, eats the, blocks the, blocked the, stops working, stopped
        working, doubles the, makes it worse, made everything, not safe, dangerous, ignored two, ignored
        our, ignored the, ignored us, caused a, caused the, caused us, caused two, causes a, causes the,
        led to, leads to, resulted in, results in, triggered, triggers, slower than, worse than, more
        expensive, than expected, than planned, longer than expected, brought down, took out, kept me
        awake, could not sleep, not sleep, dizzy, nauseous, migraine, migraines, rose to, fell to,
        dropped from, went from, tripled, banned, suspended, sued, evicted, cancelled on, stood up,
        no-show, no-shows, not agree with me, overpaid, overcharged, double-counted, not reach, never
        reached, never makes it, not make it, did not save, did not notice, nobody noticed, went
        unnoticed, silently dropped, scraped, fainted, offended, cuts out, cut out, set off the, sets off
        the, stood still, sent twice, paid twice, charged twice, billed twice, booked twice, takes
        forever, takes ages, takes hours, takes too, took ages, took hours, nearly fell, almost fell,
        nearly missed, almost missed, nearly died, nearly lost, egg-shaped, eats through, fell ill, ill
        for, in a and e, quarrelled, argued for, dried out, dries out, ran dry, runs dry, ran over, boils
        dry, tasted of, tastes of, tastes like, smelled of, cried, screamed, bit the, bites, stung,
        insulted, complains, laughed at, gives up, gave out, gives out, conked out, packed up, packs up,
        bricked, hid the, hides the, hidden bug, off by, rounding errors, duplicate orders, duplicate,
        out of sync, went mad, drops packets, silently drops, drops attachments, stiff neck, reprint,
        re-do, second attempt, twice the, no signal, no reception, no coverage, furious, livid, money
        down the, down the drain, haunt us, haunt me, haunts us, in the bin, threw up, throws up, sent it
        back, sent them back, sends it back, forfeit, forfeited, zero replies, no replies, lifted off,
        lay in ruins, on strike, in the snow, outside in the, down on the, came down, came crashing, go
        wild, went wild, had to push, had to cancel, had to close, had to reprint, had to repeat, had to
        replace, had to scrap, had to apologise, had to apologize, had to drop out, had to pay, had to
        send back, had to bin, had to evacuate, had to postpone, too soon, too optimistic, cut corners,
        orange peel, hated the
    """,
    "loss": """
        lost a, cost us, cost me, spent the, spent a, spent two, spent three, spent hours, spent days, spent
        weeks, took us, took me, took a, took two, took three, took days, took hours, burned two, burned
        three, burned a, burnt a, wasted, had to, a month, two weeks, a week, the weekend, all weekend, whole
        day, whole weekend, twice, three times, a day, two days, three days, half a day, an hour, two hours,
        three hours, hours, a fortune, all night, weeks of, days of, months of
    """,
    "regret": """
        never again, hard way, big mistake, my mistake, a mistake, regret, regretted, not again, should
        not have, bad idea, backfired, not repeat, not doing that again, not do that again, note to self,
        got burned, bitten by, bit us, bit me, been burned, made it worse, made things worse, was chaos,
        a disaster, a nightmare, dead end, rabbit hole, went badly, gotcha, pitfall, learned that, learnt
        that, not worth, never do that, made that worse, made matters worse, ever again, go back to it,
        not go back, for next time, go straight to, lesson learned, lesson learnt, lessons learned,
        lessons learnt, should have known, the lesson, never ever, do not do that, not do that, would not
        do it again, would not recommend, do not recommend, not recommended, stay away from, keep away
        from, do not trust, can not be trusted, do not rely, do not bother with, think twice, word of
        warning, heads up on, do not fall for, burned us, burnt us, came back to bite, not a second time,
        not twice, a waste of, was a waste, waste of money, waste of time, waste of effort, rather not
        repeat, not repeat that, will not do that, not be doing that, would not again, we should have, i
        should have, ought to have, in hindsight, in retrospect, with hindsight, was wrong to, were wrong
        to, was foolish, was naive, was silly to, live to regret, lived to regret, rue, rued, wish we had
        not, wish i had not, lesson for, lesson from, lesson is, once bitten, fool me, ended in tears,
        more trouble than, not worth it, hands off, was a failure, was a flop, was a mistake, were a
        mistake, is a mistake, is a trap, is asking for, asking for trouble, a false economy, false
        economy, for nothing, in vain, to no avail, no good came, not use them again, not use that again,
        not buying, not buy those, not buy that, not touch that, was stupid, were stupid, was dumb, was
        careless, was reckless, was a bad, was the wrong, were the wrong, bad experience, bad
        experiences, no point in, no use, whatever you do, ask me how i, ask how i know, never worth,
        wrong call, bad call, wrong choice, poor choice, paid for it, paid the price, paying for it, hard
        lesson, expensive lesson, took its toll, a liability, a killer, rookie mistake, beginner mistake,
        serves us right, serves me right, we know better, know better now, stopped taking, stopped
        buying, stopped ordering, stopped giving, was cruel, was unfair, was rude, was risky
    """,
    "avoid": """
        do not, never, avoid, stop, should not, must not, stay away, steer clear, beware, watch out, no more,
        not again, not doing, do not ever, no, not use, not ever, none, careful with, be careful, hands off, skip,
        keep away, keep clear, mind the, refrain, lay off, keep off, forget about, not any more, will
        not use, will not buy, will not book, will not order, will not hire, you can not, you should not, we can
        not, not bother
    """,
    "remedy": """
        instead, use, switch to, better, fix it, fixes it, fixed it, back to, from now on, is the max,
        so, it first, first, is needed, are needed, directly, by hand, proofread, must be, have to
    """,
    "past": """
        last year, last month, last week, last spring, last summer, last autumn, last winter, last time, last
        season, last night, years ago, months ago, weeks ago, in spring, in summer, in winter, in march, in
        january, in 2021, in 2022, in 2023, in 2024, in 2025, in 2026, the other day, previously, overnight,
        in autumn, last fall, years running, in february, in april, in may, in june, in july, in august, in
        september, in october, in november, in december, happened on, happened to, last yr, last wk, once and
    """,
    "success": "worked, works, solved, passes, passed, success, successfully, went well, great, perfectly, fine now",
    "mishap": MISHAPS,
    "resulted": RESULTED,
    "results": RESULTS,
    "gain": GAINS,
    "sequel": "and, then, which, so, until, when, but",
    "lack": "would not, does not, did not, can not, could not, will not, is not, are not, was not, were not",
    "warn": """
        do not, never, avoid, stop, beware, careful, watch out, stay away, steer clear, must not, should not, hands
        off, you can not, keep the, keep it out, skip the, mind the, keep clear, keep away, hold off
    """,
    "otherwise": "otherwise, or else, or it, or they, or you",
    "got": "got, caught, developed, ended up with, had",
    "soon": """
        within a, within an, within two, within three, within days, within weeks, within hours, within
        minutes, after a week, after a month, after a day, after an hour, after two, after three, after
        one, after only, in a week, in a day, in under, by noon, by morning, overnight, every time, each
        time, every single, at the first, the first time, the second time, more than once, in every, in a
        row, both times, again and again
    """,
    "cheap": """
        cheap, cheaper, cheapest, second-hand, no-name, off-brand, budget, free, bargain, discount,
        knock-off, old, shortcut
    """,
    "trigger": """
        every time, each time, whenever, when, if, as soon as, the moment, the minute, any time, anytime,
        once
    """,
    "moral": """
        lesson, lessons, learned, learnt, takeaway, takeaways, gotcha, gotchas, warning, caution,
        post-mortem, postmortem, pitfall, beware, mistake, regret, regrets
    """,
}
