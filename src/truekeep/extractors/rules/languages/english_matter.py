"""English: words that tell decisions, preferences, facts and times."""

from __future__ import annotations

MATTER = {
    # Decisions
    "resolve": """
        decided, agreed, settled, opted, going with, go with, go for, chose, chosen, committed to,
        sticking with, stick with, keeping, resolved to, voted, concluded, made the call, made up our,
        made up my, finalised, finalized, landed on, plan is to, sticking to, are using, am using, are
        dropping, will not support, are moving, are switching, are skipping, are pausing, are not going,
        will stay, we will use, we will keep, we will go, we will stay, am now using, is using, are
        closing, are opening, are adding, are hiring, are cancelling, are canceling, are raising, are
        lowering, are extending, are starting, are stopping, are changing, are launching, are renaming,
        are merging, are splitting, are postponing, are replacing, are buying, are selling, are planting,
        are introducing, are ending, are limiting, are capping, are outsourcing, are discontinuing, are
        retiring, are keeping, are not going to, will not use, will not do, will not be, reverting to,
        rolling back to, back to using, plan to, our plan is, opting for, choose, choosing, went back to,
        cutting, we commit to, are scrapping, are ditching, are axing, are binning, are shelving, are
        phasing, are done with, are through with, are freezing, are banning, are staying, are sticking,
        are settling, are giving up, are calling off, are pulling, are taking on, are repainting, are
        rebuilding, are holding, are having, are bringing, are putting, are letting, are giving, are
        making, out goes, is staying, made it official, went ahead with, firmed up, locked in
    """,
    "decided": """
        switched to, switching to, migrated to, migrating to, moved to, moving to, picked, went with,
        went for, standardised on, standardized on, dropped, dropping, replaced, replacing, scrapped,
        postponed, deferred, adopted, adopting, selected, cancelled, canceled, gave up on, introduced,
        rewrote, renamed, retired, moved, stopped, switched the, switched our, switched over, moved the,
        split the, swapped, ditched, binned, shelved, axed, banned, merged, outsourced, signed with,
        signed up with, appointed, elected, voted
    """,
    "settled": """
        was decided, is decided, been decided, was agreed, been agreed, decision is, decision was, is
        settled, is final, turned down, vetoed, ruled out, signed off, greenlit, got approved, was
        approved, been approved, off the table, has approved, approved the, has decided, is cancelled, is
        dead, plan is, the plan is, out of scope, in scope, was rejected, were rejected, has signed, it
        was decided, is approved, are approved, has been approved, confirmed the, has ruled, voted for,
        voted to, voted against, is agreed, has agreed, have agreed, it was agreed, it is decided, it is
        settled, it is official, it has been decided, it has been agreed, has voted, voted down, voted
        through, has chosen, has picked, have signed off, was signed off, is signed off, are ruled out,
        is ruled out, was ruled out, been ruled out, is off the table, got the go-ahead, the go-ahead,
        green light, thumbs up, rubber-stamped, decided against, decided on, decided to, decided in
        favour, gets the job, got the job, won the vote
    """,
    "ruling": """
        from now on, going forward, effective, henceforth, mandatory, is the standard, are the standard, the
        rule, rule, policy, convention, house style, off limits, no exceptions, sign-off, non-negotiable,
        banned, until further notice, is the default, in future, decision, action, agreement, becomes the, the
        norm, from this sprint, from this week, from this release, from this month, sprint on, as of, code
        freeze, feature freeze
    """,
    "necessity": """
        must, has to, have to, needs, required, requires, not allowed, forbidden, may not, prohibited, shall
    """,
    "change": """
        moves to, moved to, changes to, changed to, is now, are now, switches to, now goes, becomes, replaces,
        will be replaced, is replaced, are replaced, takes over, will move, will be moved, is moving, are
        moving, goes live, gets renamed, is renamed, will be renamed, will be done, are cut, gets a, get a, is
        retired, are retired, is dropped, are dropped, is postponed, is delayed to, will be dropped
    """,
    "stays": "stays, stay, remains, remain",
    "unresolved": """
        have, had, are, were, was, can, could, should, would, need, know, think, got, did, do, will, saw,
        found, lost, met, went, live, work, came, might, may, ran, made, just, already, also, still, all,
        both, hit, took, get, see
    """,
    # Preferences
    "liking": """
        prefer, favour, favor, like, love, enjoy, hate, dislike, detest, can not stand, can not bear,
        adore, loathe, despise, would rather, rather have, am into, swear by, big fan, fan of, my
        favourite, my favorite, obsessed with, partial to, keen on, no fan, want, need, insist on, avoid,
        would like, sick of, tired of, my thing, my cup of tea, my jam, hates, not a fan, am happiest,
        only ever, cannot abide, can not abide, can not resist, gravitate, lean towards, crave, cherish,
        appreciate, am picky, am fussy, am allergic to surprises
    """,
    "likes": """
        prefers, favours, favors, likes, loves, hates, dislikes, detests, enjoys, favourite, favorite,
        suits me, suit me, best for me, works for me, work for me, my thing, gives me, give me headaches,
        annoys me, bothers me, drives me, makes me, easier for me, swears by, insists on, can not stand,
        and prefer, but prefer, my go-to, go-to, can not eat, can not drink, can not have, take my
        coffee, take my tea, like my, my usual, not for me, is not for me, are not for me, am more of,
        more of a, happiest with, happiest when, my ideal, live on, can not live without, not live
        without, not do without, hate when, hate it when, hate being, love being, can not work with, can
        not work without, can not work in, can not focus, can not concentrate, can not sleep with, beats
        a, nothing beats, my preference, pet peeve, drives me mad, drives me crazy, puts me off, cup of
        tea, soft spot for, not a fan, no fan of, my style, helps me, i thrive, comfort food, rather not,
        would sooner, does it for me, not my thing
    """,
    "wants": "wants, want, asks for, insists, insist, expects, needs, need",
    "vague": """
        it, this, that, these, those, them, you, your, to, help, how, what, when, a, an, some, someone, more,
        another, one, any, all
    """,
    "habit": """
        always, never, usually, only, mostly, rarely, generally, typically, hardly ever, do not eat, do not
        drink, do not do, do not take, do not work, do not answer, do not use, do not wear, do not drive, do
        not fly, tend to
    """,
    "mind": """
        know, think, see, saw, understand, got, have, had, mean, remember, believe, thought, knew, heard,
        said, want
    """,
    # Facts, times and measures
    "identity": """
        my name, i live, i work, i teach, i study, i come from, i was born, i grew up, i am from, i am based,
        i am allergic, i speak, i own, i run, i play, i drive, i have a, i have an, i have two, i have three,
        i have four, i am a, i am an, i am called, i am vegetarian, i am vegan, i am left-handed, i am
        colour-blind, i am diabetic, i am coeliac, i am pregnant, i am retired, my birthday, my job, my role,
        my email, my address, my timezone, i use, i usually, i mostly, i lead, i manage, i do a lot, i do not
        eat, i do not drink, i do not drive, i do not have, i weigh, i wear, i take, i commute, i am
        responsible, i maintain, i look after, i handle, i report to, i have worked, i have lived, i have been
        using, i share, i rent, my phone number, my number, allergic, intolerant, coeliac, diabetic
    """,
    "hedge": "a bit, a little, kind of, sort of, a tad",
    "present": "is, are, am, has, have",
    "stative": """
        needs, need, wants, want, requires, require, uses, use, lives, live, runs, run, closes, close, opens,
        open, belongs, belong, costs, cost, takes, take, means, mean, supports, support, allows, allow,
        handles, handle, contains, contain, includes, include, goes, go, works, work, keeps, keep, stays,
        stay, teaches, teach, owns, own, leads, lead, manages, manage, reports to, speaks, speak, sits, sit,
        sends, send, expects, expect, returns, return, accepts, accept, rejects, reject, starts, start, ends,
        end, begins, begin, expires, expire, ships, ship, comes, come, gets, get, holds, hold, carries, carry,
        covers, cover, depends, depend, lie, stand, defaults, points, lies, weighs, measures, faces, face,
        serves, serve, happens, happen, makes, provides, provide, stores, store, lasts, last, becomes, become,
        applies, apply, counts, insists, insist, refuses, refuse, breaks, break, can only, can not, must,
        eats, eat, drinks, drink, drives, drive, plays, play, studies, study, pays, pay, sells, sell, buys,
        visits, visit, attends, attend, assumes, assume, answers, reads, writes, sees, lets, gives, give,
        follows, treats, bills, charges, charge, delivers, deliver, arrives, arrive, leaves, leave, meets,
        meet, moves, falls, grows, grow, blooms, bloom, sleeps, sleep, tolerates, tolerate, matters, land,
        lands, suit, suits, hates, fits, fit, prefers, likes, loves, turns, fail
    """,
    "schedule": """
        every, each, daily, weekly, monthly, yearly, annually, hourly, nightly, quarterly, monday, tuesday,
        wednesday, thursday, friday, saturday, sunday, mondays, tuesdays, wednesdays, thursdays, fridays,
        saturdays, sundays, weekdays, weekends, weekend, mon, tue, wed, thu, fri, sat, sun, mornings,
        evenings, nights, noon, midnight, deadline, due, twice a, once a, opening hours, expires, expiry
    """,
    "date": """
        january, february, march, april, june, july, august, september, october, november, december, jan, feb,
        mar, apr, jun, jul, aug, sept, sep, oct, nov, dec, next week, next month, next year, this summer, this
        autumn, this winter, this spring, next summer, q1, q2, q3, q4, easter, christmas, in may, of may, end
        of the year, end of year, end of the month, this week, this month, next spring, next autumn, next
        winter, next monday
    """,
    "until": "until, till, by the end of, for the next, starting, for now, this week, this month, temporarily",
    "planned": """
        signed up, booked, registered, enrolled, taking, am off, is off, are off, travelling, traveling,
        flying, fly, visiting, on leave, parental leave, maternity leave, sick leave, holiday, vacation, trip,
        away, out of office, conference, appointment, wedding, exam, moving, attending, giving a talk,
        preparing, training for, launching, sabbatical, surgery, covers for, covers my, standing in, interim,
        filling in, working on, in the middle of, will be, going to, am in, have got, expecting, renovating,
        training, being rebuilt, being repaired, being renovated, under construction, being moved
    """,
    "limit": """
        max, maximum, min, minimum, limit, limits, limited, cap, capped, capacity, ceiling, budget, up to,
        per, quota, threshold, deadline, target, port, version, rate, fee, price, size, weight, height,
        length, width, code, unit, prices, fees, rates, sizes
    """,
    "moment": """
        just now, right now, today, yesterday, tonight, this morning, this afternoon, a sec, one sec, a
        moment, a minute, minutes ago, hours ago, ten minutes, in a bit, at the moment, shortly, soon,
        currently, meanwhile, later, this evening, last night, one moment, hang on, just a, just
        finished, just got, just did, finally, at last, all day, this second, as we speak, for a while,
        still waiting, still failing, still not, not yet, still running, back in, two minutes, five
        minutes, few minutes, minutes left, almost done, almost there, almost ready, almost finished,
        nearly done, nearly there, nearly finished, nearly ready
    """,
    "opinion": """
        fine, great, good, nice, cool, awesome, perfect, weird, funny, interesting, annoying, lovely, amazing,
        ok, okay, happy, glad, sorry, tired, sad, excited, sounds, looks, seems, feel, feels, legend, doable,
        fair, enough, boring, ouch, hungry, proud, terrible, awful, worth, beautiful, cute, congrats, welcome
    """,
    "progress": """
        done, running, starting, started, launching, launched, relaunched, checking, checked, working,
        implementing, implemented, fixing, fixed, pushing, pushed, merging, merged, deploying, deployed,
        building, built, testing, tested, updating, updated, verifying, verified, dropping, exporting,
        exported, saving, saved, uploading, uploaded, downloading, downloaded, installing, installed,
        restarting, restarted, rebasing, rebased, resolved, refactoring, pending, complete, completed,
        finished, finishing, passed, passing, opened, noted, opening, closing, closed, sent, sending, created,
        creating, added, adding, removed, removing, shortened, booked, scheduled, ordered, approving,
        reviewing, reviewed, pinned, splitting, shutting, loading, looking, fetching, compiling, waiting,
        drafting, drafted, understood, excluding, on it, give me, hang on, hold on, will do, no problem, one
        moment, here is, here are, attached, see attached, below is, below are, changing, changed, stored,
        written, generated, posted, searching, collecting, reading, writing, preparing, calling
    """,
    "status": """
        pending, in progress, blockers, blocker, status, eta, conflicts, notes follow, follows below, is up,
        is ready, are ready, all green, is green, almost done, is done, are done, left to, underway, % done,
        passed, passing, is running, are running, to go, contains, draft, entry, entries, here is, here are,
        is open, is loaded, is missing, are open, percent, %, jobs left, rows left, items left, a while, is
        here, are here, on his way, on her way, on their way, set up, is back, are back, on hold, out of, is
        early, is free, are free, is charging, are missing
    """,
    "because": "because, since, as, so, so that, therefore, due to, thanks to, the reason, reason, hence, otherwise",
    "reason": "because, since, the reason, reason, that is because, it is because, this is because, it was because",
    "negation": "not, never, no, nobody, none",
    "modal": "would, could, may, might, should",
    "secret": """
        password, passcode, passphrase, key, token, secret, pin, credential, credentials, login, pw, pwd,
        apikey, visa, mastercard, amex, card, iban, cvv, cvc
    """,
    "intent": """
        i will, i am going to, i need to, i have to, i want to, i must, i should, we need to, will do, i was
        going to, i better, i would
    """,
    "situation": """
        looking for, trying to, have a question, a question, am stuck, not working, can not find, can not
        open, can not log, can not see, does not load, got to go, on my way, running late, writing a, reading
        a, watching, waiting for, at the airport, no idea, working late, your order, my order, my screen, the
        link, i did not, did not know, i see, i know, i forgot, i found, i got, i saw, i thought, i finished,
        keeps, i need a, i need an, i need some, i want a, i have a meeting, i meant, percent, battery, in
        twenty minutes, in ten minutes, in five minutes, i read, i wrote, you suggest, you think, my machine,
        my laptop, same error, same problem, same as, did not go, hurts, is out, is up, is huge, i was just, i
        was thinking, i was wondering, i was talking, i was looking, i was trying, not arrived, has not come,
        waste of time, not here yet
    """,
    "kept": """
        are named, is named, are called, is called, are kept, is kept, are stored, is stored, are done, is
        done by, are handled, is handled, are made, are written, is written, is measured, are measured, are
        numbered, are labelled, is paid, are paid, is based, are based, is run, are sold, is sold, is hosted,
        are billed, is billed, is owned, is licensed, is reserved, are reserved, is fixed, is allowed, are
        allowed
    """,
    "cheer": "great, wonderful, fantastic, brilliant, lovely, perfect, awesome, nice, super, marvellous, amazing",
    "assent": "sure, right, yeah, yes, of course, absolutely, obviously, totally",
    "conjunction": "that",
    "ever": "always, never, please always",
    "again": "again",
    "weekday": """
        monday, tuesday, wednesday, thursday, friday, saturday, sunday, the weekend, tomorrow, mon, tue, wed,
        thu, fri, sat, sun
    """,
    "place": "i am at, i am on, i am in, i am off, we are at, we are in",
    "bound": "under, below, within, above, max, maximum, least, most",
    "every": """
        every, each, always, usually, mondays, tuesdays, wednesdays, thursdays, fridays, saturdays, sundays,
        weekdays
    """,
    "finding": """
        caused by, comes from, came from, turned out, turns out, root cause, because of, due to, means that,
        explains why, confirmed that, found that, depends on, traced it to, traced back, the cause, the
        reason, is why, stems from, only happens, fails when, happens only
    """,
    "role": """
        responsible for, in charge of, owner of, owns, leads, maintains, head of, contact for, covers,
        handles, reports to, point of contact, lead for, is our, is my, works for, works as, works at, runs
        the, manages
    """,
    "event": "did not, got, came, went, arrived, happened, finished, ended, said, told, spilled, won",
    "pasttense": """
        won, ate, drank, drove, flew, slept, spent, bought, sold, sent, built, felt, kept, left, paid, rode,
        sang, sat, spoke, stood, swam, taught, threw, wore, wrote, began, broke, forgot, gave, grew, heard,
        knew, led, said, shook, told, tore, thought, understood, woke, saw, found, lost, met, went, came, ran,
        made, took, got, had, was, were, did, dropped, fell, held, hit, read, set, let, cut, shut, quit, ended
    """,
    "final": "final, verdict, outcome, conclusion, resolution",
    "prep": "for, in, on, with, after, from, at, before, until, between, during, please, and, as, to, if, when",
    "tentative": """
        be, see, have, need, try, let, know, check, look, get, talk, discuss, do, find, finish, send, wait,
        think, figure, never, ask, come, not
    """,
    "noun": """
        nothing, something, anything, everything, morning, evening, spring, string, thing, king, ring, wing,
        building, meeting, ceiling, wedding, parking, heating, housing, pricing, billing, during, red, bed,
        feed, seed, speed, need
    """,
    "body": """
        board, committee, council, jury, management, director, directors, panel, court, boss,
        headteacher, principal, union, members, shareholders, partners, editor, producer, owner, owners,
        coach, family, club, team, faculty, parents, head office, leadership, everyone, captain, chair,
        conductor, residents, landlord, client, customer
    """,
    "outset": """
        from monday, from tuesday, from wednesday, from thursday, from friday, from saturday, from
        sunday, from next, from now on, from this, from january, from february, from march, from april,
        from may, from june, from july, from august, from september, from october, from november, from
        december, from today, from tomorrow, as of, starting, effective, going forward, henceforth, with
        immediate effect, beginning
    """,
    "itis": "it is",
    "verdict": """
        picked, selected, chose, elected, appointed, approved, rejected, backed, refused, cancelled, banned, postponed,
        scrapped, adopted, dropped, awarded, overruled, vetoed
    """,
    "anyday": "any day, any time, every time",
}
