"""English: words that tell who speaks, to whom, and in earnest or not."""

from __future__ import annotations

MANNER = {
    # Who speaks, of whom, to whom
    "i": "i",
    "we": "we, our team, my team, the team, our company",
    "own": "my, our, mine, ours",
    "you": "you, your, yours",
    "pronoun": """
        it, this, that, these, those, they, he, she, them, there, its, someone, somebody, anything, nothing,
        everything
    """,
    "article": "the, our, my, all, every, each, both, any, new, no",
    "party": "customer, client, guest, patient, tenant, buyer, supplier, landlord, reviewer, board, boss, user, team",
    "kin": """
        wife, husband, partner, son, daughter, kid, kids, child, children, brother, sister, mother, father,
        mum, mom, dad, dog, cat, girlfriend, boyfriend, fiance, fiancee, brother-in-law, sister-in-law,
        mother-in-law, parents, father-in-law, grandmother, grandfather, grandma, grandpa, gran, uncle, aunt,
        niece, nephew, cousin, twins, baby, neighbour, neighbor, colleague, boss, manager, flatmate, roommate,
        therapist, doctor, dentist, vet
    """,
    # Openers and manners
    "filler": """
        ok, okay, so, also, and, but, well, oh, ooh, yes, yeah, yep, yup, actually, btw, by the way, honestly,
        personally, hi, hello, hey, seriously, though, um, uh, hmm, mm, ah, right, sure, great, nice, good,
        cool, fine, plus, then, anyway, basically, look, listen, tbh, thanks, thank you, sorry, perfect,
        exactly, true, correct, weird, ugh, first of all, quick one, heads up, fyi, just so you know, good to
        know, for the record, one more thing, for reference, one thing, for context, of course, understood,
        wow, ha, haha, lovely, good morning, nope, nah, alright, in fact, note, reminder, important, careful,
        warning, found it, works, got it, makes sense, noted, absolutely, definitely, same here, me too,
        update, again
    """,
    "no": "no, zero, none",
    "noted": "noted, got it, understood, ok, okay, sure, roger, on it, done, copy that, acknowledged, thanks",
    "offer": """
        i will, i can, i could, let me, shall i, should i, would you, do you want, happy to, glad to, i would
        suggest, i suggest, i recommend, we could, you could, you can, you may, you might, i am, i have, i
        did, then i
    """,
    "meta": "instruction, instructions, did not follow, ignored it, aimed at me, embedded text, prompt",
    # Not meant, or not known
    "asks": """
        why, how, anyone, anybody, any idea, any ideas, any news, what about, how about, quick q, quick
        question
    """,
    "wh": "what, when, where, who, whom, whose, which",
    "aux": """
        is, are, was, were, am, do, does, did, can, could, would, will, shall, should, may, have, has, had,
        if, about
    """,
    "turn": "but, though, still, however, whereas, yet",
    "if": "if, unless, once, in case, even if, provided that, had we, had i, had they, were we, were i",
    "unreal": "would, could, might, were to, had been, ever, in theory",
    "supposing": """
        what if, suppose, supposing, imagine, assuming, assume, hypothetically, in theory, let us say, say
        we, were to, i wish, we wish, wish, if only, wonder, wondering, let us pretend, pretend, picture
        this, in an ideal world, in a perfect world, one day, some day, someday, say the, what would, had we,
        had i, had they, if i win, if we win, if i ever, if we ever, if they ever, if he ever, if she ever,
        if i were, if i had, if we had, if it were, if money, if time, if there were, say i, say you, what
        happens if, worst case, best case, given a, given unlimited, in another life, in a parallel, in my
        next life
    """,
    "unsure": """
        maybe, perhaps, might, not sure, unsure, i guess, my guess, guessing, guess, i suppose, possibly,
        probably, presumably, i suspect, i bet, could be, may be, no idea, i wonder, seems like, looks like,
        not certain, do not know, i doubt, not convinced, thinking about, thinking of, toying with,
        considering, tempted, leaning towards, leaning toward, undecided, not decided, to be decided, tbd,
        who knows, i think, could have, in my dreams, hopefully, fingers crossed, i hope, hoping, if i
        remember, iirc, must be the, must be that, must be because, must have been, i reckon, reckon,
        reckons, hunch, as though, as if, the way i see, my theory, theory is, ballpark, top of my head, i
        imagine, i assume, could well, may well, might well, chances are, odds are, have a feeling, gut
        feeling, something tells me, had to guess, most likely, likely because, would be nice, would be
        great, would be cool, would be lovely, would not be surprised, i would bet, i would wager, bound to
        be, i take it, i presume, i could imagine, hard to say, hard to tell, for all i know, as far as i
        know, afaik, not quite sure, at a guess, roughly speaking, could come, could mean, i fancy, i
        daresay, wild guess, educated guess, if memory serves, not promising, one day, someday, i would go, i
        would say, not really sure, rule of thumb, money is on, is likely, are likely, likely the, likely a,
        likely to be, speculating, speculation, one theory, a theory, dream world, ideal world, could it be,
        i would guess, i would imagine, i would think, i would assume, just a thought, just thinking,
        thinking aloud, thinking out loud, crossed my mind, half a mind, toy with, if i were, if we were,
        were i, for argument, would it not be, i would love it if, wishful thinking, pipe dream, a bit of a
        guess, no clue, not a clue, beats me, search me, dunno, who can say, anyone is guess, bet it, bet he,
        bet she, bet they, bet you, bet that, bet the, bet we, trust me bro, calling it, mark my words, i
        believe, pretty sure, fairly sure, almost certain, probly, prolly, i would expect, i expect, my
        money, no way to know, remains to be seen, could easily be, for what it is worth, just a hunch, give
        or take
    """,
    "rumour": """
        i heard, heard that, heard from, rumour, rumor, rumours, rumors, apparently, supposedly, allegedly,
        reportedly, not confirmed, unconfirmed, nothing confirmed, claims that, claims to, claims the, claims
        it, claims they, claims he, claims she, claims his, claims her, claimed, people say, they say, word
        is, gossip, some say, someone said, somebody said, is said to, read somewhere, on reddit, on twitter,
        they claim, people claim, some claim, claim that, swears the, swears that, swears it, swears his,
        swears her, swear the, swear it, grapevine, there is talk, talk of, word on the street, people are
        saying, i am told, i was told, was told the, was told that, were told the, been told that, someone
        told, somebody told, a friend told, a neighbour told, someone mentioned, somebody mentioned, i hear,
        we hear, hear that, heard the, heard about, so they say, hearsay, legend has it, the story goes, if
        you believe, friend of a friend, word has it, it is said, is supposedly, are supposedly, tipped to,
        overheard, whispers, people reckon, read online, saw a post, forum says, internet says, sources say,
        is rumoured, is rumored, are rumoured, believed to be, is thought to, are thought to, knows for sure,
        story is, from what i gather, from what i hear, no proof, without proof, supposed to be a secret, do
        not quote me, not quote me, unofficially, off the record, open secret, is convinced the, is convinced
        that, are convinced, assures me, assured me, assures us, assured us, advertised as, has it that, keep
        hearing, keeps saying, keep saying, maintains that, alleges, alleged, purportedly, so i hear, so i am
        told, told in confidence, between you and me, some guy, some bloke, a guy told, a bloke told, my
        cousin says, my neighbour says, everyone says, everybody says, people think, urban myth, heard they,
        heard he, heard she, heard there, heard it, heard we, heard you, are saying, tip from, hot tip,
        juicy, the word is, scuttlebutt, sounds like they, told me in the, told me at the, according to the
        internet, saw on, seen on, read on, read in a, some article, tiktok, a tweet, chain mail, clickbait,
        second-hand, third-hand, not official
    """,
    "reported": """
        says, said, wrote, writes, told, asked, according to, argues, argued, thinks, believes, quotes,
        saying, says that, swears, reckons, insists, tells, heard, posted, saw
    """,
    "sarcasm": """
        oh great, yeah right, oh sure, oh joy, oh wonderful, oh fantastic, oh perfect, oh good, surely, as
        if, could go wrong, can go wrong, possibly go wrong, just what i needed, just what we needed, how
        wonderful, how lovely, /s, love it when, sure because, because that always, because that worked,
        worked so well, so much fun, wait for another, brilliant another, thrilled, living the dream,
        favourite pastime, favorite pastime, nobody ever, nothing says, great another, what a surprise, who
        needs, such a joy, clearly the best, obviously the best, genius, best day ever, day ever, world
        class, love how, love that for, gotta love, got to love, you have to love, exactly what we needed,
        exactly what i needed, said no one, said nobody, slow clap, how original, what a treat, such fun,
        because who, because why, who could have, how very, oh brilliant, oh lovely, oh nice, oh look, colour
        me, color me, what this team, what the world, because of course, because obviously, totally normal,
        what a time, lucky me, lucky us, yay, bravo, kudos, clearly what, what a joy, another meeting,
        another form, another update, feel so safe, so safe, spot on as, ray of sunshine, top marks, great
        job everyone, round of applause, as ever, such a surprise, shocking i know, i am shocked, colour me
        shocked, what fun, much wow, applause for, gold star, hats off to whoever, whoever thought, whoever
        designed, whoever put, pigs will, pigs might, pigs fly, when hell, cold day in, oh yeah, of course
        it, of course they, truly the best, how thoughtful, how kind of, how convenient, how nice of, thanks
        a lot, thanks a bunch, cheers for that, what a genius, what a legend, what a hero, what a relief, no
        pressure then, nothing could, my lucky day, dream come true, just perfect, just great, just
        wonderful, just brilliant, just lovely, well done us, what could be, couldn't be happier, love a
        good, love nothing more, absolutely thrilled, deeply moved, best thing since, my favourite hobby,
        favourite hobby, highlight of my
    """,
    "hype": """
        triumph, masterpiece, world-class, michelin, five-star, luxury, paradise, gourmet, delight, delightful,
        spectacular, legendary, magnificent, glorious, heavenly, super fast, blazing, marvel, miracle, epic, best ever
    """,
    "future": "am, will, would, could, go, am going",
    "joke": "lol, lmao, rofl, haha, hahaha, joking, kidding, jk, dream on, xd",
    # Requests, and the words that make them standing
    "hearsayer": """
        they, people, folks, someone, somebody, everyone, everybody, mate, friend, buddy, pal, neighbour,
        neighbor, neighbours, neighbors, guy, bloke, dude, stranger, witness, witnesses, cousin, nephew,
        uncle, barber, hairdresser, driver, cabbie, postman, flatmate, roommate, internet, forum, reddit,
        twitter, tiktok, blog, article, podcast, ad, advert, brochure, flyer, leaflet, horoscope, sign,
        poster, banner, label, comment, comments
    """,
    "imperative": """
        add, ask, book, bring, build, buy, call, change, check, clean, close, compare, compute, convert,
        copy, count, create, delete, deploy, describe, do, double-check, download, draft, drop, email,
        explain, export, extract, fetch, fill, find, finish, fix, forward the, forward this, forward it,
        generate, get, give, go, help, import, include, install, hide, investigate, keep, launch, list,
        log, look, make, measure, merge, move, open, order, pick, ping, play, please, post, prepare,
        print, proofread, pull, push, put, read, rebase, refactor, remind, remove, rename, reply, rerun,
        reschedule, restart, retry, return, review, rewrite, rotate, run, save, schedule, address,
        search, send, set, share, ship, shorten, show, shut, sort, split, start, stop, store, submit,
        suggest, summarise, summarize, switch, take, talk, tell, test, transfer, translate, try, turn,
        undo, update, upload, use, verify, wait, walk, write, let, leave, hold, cite, name, avoid,
        format, tag, round, skip, answer, sign
    """,
    "request": """
        please, can you, could you, would you, will you, can we, could we, can i, could i, can someone, could
        someone, can somebody, let us, let me, i need you to, i want you to, would like you to, would like to,
        want to, need help, help me, remind me, tell me, show me, give me, do it, go ahead, go for it, ship
        it, you should, feel free, make sure you, how about, what about, want help, anyone got, one of you, i
        would like a
    """,
    "please": "please",
    "standing": """
        always, never, from now on, going forward, in future, in the future, every time, each time, whenever,
        at most, at least, no more than, no less than, no later than, by default, instead of, rather than,
        only, no longer, anymore, any more, as a rule, without exception, at all times, exclusively, on
        principle, next time, for all, generally, until further notice, henceforth, any time, everywhere,
        nothing but, in all, per, for this, on all, in every, for every
    """,
    "only": "only, at most, no more than, exclusively, nothing but, no later than, max",
    "calling": "call me, address me, refer to me, can call me, i go by, my pronouns",
    "affected": "me, us, you, him, her, people, everyone, everybody",
    "apology": "sorry, apologies, oops, whoops, my bad",
}
