"""Spanish: its classes of words; `english` explains them."""

from __future__ import annotations

from truekeep.extractors.rules.lexicon import lexicon

_COMMON = """
    el la los las un una de del y es no que en con por para se lo su al como más pero mi mis nos nuestro nuestra
    me te ya está son hay muy si sin ha han fue este esta esto yo tú porque cuando donde qué cómo o le les a hoy
    siempre nunca
"""

_CLASSES = {
    "i": "yo, me, mí",
    "we": "nosotros, nos",
    "own": "mi, mis, nuestro, nuestra, nuestros, nuestras",
    "you": "tú, te, tu, tus, usted, ustedes, vosotros",
    "pronoun": "eso, esto, ello, él, ella, ellos, lo",
    "article": "el, la, los, las, cada, todos, todas, nuestro, nuestra, mi, mis",
    "filler": """
        ok, vale, sí, bueno, y, pero, pues, ah, oh, hola, gracias, claro, perfecto, genial, exacto, por
        cierto, la verdad, de hecho, buenos días, buenas tardes, buenas, entendido, venga, muy bien, listo,
        oye, hecho
    """,
    "no": "no, ningún, ninguna, nada de, cero",
    "noted": "anotado, entendido, hecho, vale, ok, gracias, listo",
    "offer": "puedo, voy a, quieres que, quiere que, te gustaría, le gustaría, debo, quieres",
    "asks": """
        cómo, por qué, cuándo, dónde, quién, cuál, cuáles, qué, cuánto, cuánta, cuántos, alguien sabe, alguien
        tiene
    """,
    "if": "si",
    "unreal": "sería, serían, tendría, podría, podríamos, fuera, fuese, hubiera, tuviera, tuviéramos, iría",
    "supposing": """
        imagina, imaginemos, supongamos, y si, pongamos, si algún día, si alguna vez, si me toca, si nos
        toca, si nos tocara, si gano, si yo fuera, si fuera por, en un mundo ideal, ojalá, en caso de que,
        imagínate, digamos que
    """,
    "unsure": """
        quizá, quizás, tal vez, a lo mejor, probablemente, no sé, ni idea, creo que, supongo, igual, ojalá,
        espero que, no estoy seguro, no estoy segura, puede que, ya veremos, seguramente, diría que, me
        imagino, imagino que, debe de, será que, puede ser, quién sabe, a saber, me da que, apuesto, estaría
        bien, algún día, posiblemente, me parece que, yo diría, a mi parecer, para mí que, seguro que, fijo
        que, no estoy muy seguro, no lo sé, vete a saber, igual es, calculo que, a ojo, más o menos creo, me
        suena que, si no recuerdo, será, debe ser, podría ser, tiene pinta, tengo la sensación
    """,
    "rumour": """
        dicen que, se dice, he oído, oí que, rumor, rumores, al parecer, por lo visto, según dicen, parece
        ser, me han dicho, me dijeron, alguien me dijo, cuentan que, corre el rumor, según parece,
        supuestamente, presuntamente, jura que, afirma que, asegura que, parece que, dicen por, dicen,
        dizque, cuentan, se comenta, se rumorea, rumorean, chisme, chismes, cotilleo, cotilleos, he leído,
        leí que, leí en, por ahí, según internet, me contaron, me ha dicho un, me dijo un, dice la gente, la
        gente dice, se oye
    """,
    "sarcasm": """
        qué bien otra, sí claro, cómo no, menuda sorpresa, qué sorpresa, genial otra, qué ilusión, vaya
        sorpresa, claro que sí guapi, lo que faltaba, bravo, sí sí claro, claro claro, claro que sí campeón,
        qué alegría, qué maravilla, qué suerte la, lo que me faltaba, estupendo otra, fantástico otra,
        maravilloso otra, ya ya, no me digas, el sueño de
    """,
    "hearsayer": """
        gente, alguien, vecino, vecina, vecinos, amigo, amiga, colega, primo, prima, tío, tía, sobrino,
        cuñado, peluquero, peluquera, taxista, testigo, internet, foro, periódico, anuncio, cartel, folleto,
        todos, muchos, ellos
    """,
    "reported": """
        dice, dicen, dijo, dijeron, cuenta, contó, afirma, jura, asegura, escribe, escribió, oído, leído
    """,
    "imperative": """
        envía, envíame, manda, mándame, haz, hazme, muestra, muéstrame, dame, da, busca, búscame, escribe,
        pon, ponme, revisa, abre, añade, agrega, borra, llama, trae, dime, mira, comprueba, prepara
    """,
    "request": """
        puedes, podrías, puede usted, por favor, ayúdame, vamos a, quiero que, necesito que, me puedes, me
        haces
    """,
    "please": "por favor, porfa",
    "standing": """
        siempre, nunca, jamás, solo, sólo, solamente, únicamente, a partir de ahora, de ahora en adelante, en
        adelante, desde ahora, en vez de, en lugar de, como máximo, máximo, al menos, ya no, cada vez, por
        defecto
    """,
    "only": "solo, sólo, solamente, únicamente, como máximo, máximo",
    "calling": "llámame, me llamo, puedes llamarme, dime",
    "settled": """
        hemos decidido, he decidido, decidimos, decidí, hemos elegido, elegimos, acordamos, hemos
        acordado, hemos quedado en, nos quedamos con, vamos con, optamos, hemos optado, se ha decidido,
        se decidió, usaremos, seguimos con, está decidido, queda decidido, ha decidido, ha votado, votó,
        ha aprobado, aprobó, queda aprobado, descartado
    """,
    "ruling": "a partir de ahora, de ahora en adelante, regla, norma, obligatorio, prohibido, política, desde ahora",
    "necessity": "debe, deben, hay que, tiene que, tienen que, no se puede, se debe",
    "stays": "se queda, se quedan, sigue, siguen",
    "likes": """
        prefiero, preferimos, prefiere, gusta, gustan, encanta, encantan, odio, odiamos, odia, detesto,
        detesta, no soporto, favorito, favorita, me va mejor, adoro, quiero solo, me viene bien, no soy
        de, no soy fan, no es lo mío, nada como, me molesta, odio que
    """,
    "habit": "siempre, nunca, normalmente",
    "attempt": """
        probamos, probé, intentamos, intenté, hemos probado, he probado, la última vez, probado,
        intentado, confiamos, confié, apostamos, dejamos que, una vez
    """,
    "deed": """
        fuimos, hicimos, pusimos, compramos, usamos, con, usé, puse, compré, contraté, contratamos,
        mandamos, mandé, dejé, dejamos, pedimos, pedí, reservamos, lavé, plantamos, confiamos, cambiamos,
        sin, con la, con el
    """,
    "failure": """
        falló, fallaron, fracasó, roto, rota, rompió, se rompió, no funcionó, no funciona, perdimos,
        perdido, perdió, demasiado lento, demasiado tarde, peor, desastre, caos, quemado, quemada, quemó,
        derritió, fuga, enfermo, mal, error, quejas, estropeado, estropeó, bloqueó, bloqueado, cayó,
        mojado, se cayó, tirados, salió mal, se atascó, explotó, dañado, quemaron, quema, queman,
        descascarilló, desconchó, despegó, despega, agrietó, agrieta, oxidó, oxida, oxidado, pudrió,
        pudre, pudren, podrido, podrida, marchitó, marchitaron, secó, secaron, derramó, derramado,
        desbordó, inundó, inundado, goteó, gotea, heló, congeló, congelado, recalentó, calentó demasiado,
        atascó, atasca, atascado, bloquea, colgó, cuelga, cae, caen, cayeron, rayó, rayado, manchó,
        manchado, manchas, destiñó, encogió, encogido, arruinó, arruinado, arruina, destrozó, destrozado,
        robaron, robado, hirió, herido, infectó, infectado, alergia, ronchas, migraña, dolor de, multa,
        multaron, demanda, sanción, reembolso, reclamaciones, retraso, con retraso, tarde, fiasco,
        fracaso, infierno, pesadilla, ladrillo, chapuza, inútil, en vano, para nada, no sirve, no sirvió,
        no sirvieron, no aguanta, no aguantó, no resultó, no cuajó, no entra nadie, nadie vino, nadie
        viene, nadie leyó, nadie lee, nadie compró, muy caro, demasiado, se pierden, se pierde, pierde,
        perdieron, costó, nos costó, me costó, salió caro, salió fatal, fatal, dejó tirados, dejaron
        tirados, mojó, mohoso, moho, cortó, agrió, se fue la, saltó, explotaron, desapareció,
        desaparecieron, duplicado, equivocado, fallan, falla
    """,
    "regret": """
        nunca más, no repetir, no volver a, error, lección, aprendimos, me arrepiento, no contrates,
        jamás otra, ni loco, fue un error, ha sido un error, mala idea, no es buena idea, no fue buena
        idea, no la compro más, no lo compro más, no vale la pena, no valió la pena, no merece la pena,
        pérdida de tiempo, pérdida de dinero, tiramos el dinero, escarmentado, aprendí, no vuelvo a, no
        volveré a, no volvemos a, no volveremos a, deberíamos haber, debería haber, debimos, no lo
        recomiendo, no recomiendo, ojo con, cuidado con, aléjate, ni se te ocurra
    """,
    "avoid": "nunca, no, evitar, evita, jamás, no uses, no usar, dejar de, ni, nada de",
    "remedy": "en su lugar, mejor, así que, por eso, en vez, solo",
    "past": """
        el año pasado, año pasado, la última vez, el mes pasado, la semana pasada, antes, anoche, 2021, 2022,
        2023, 2024, 2025
    """,
    "success": "funcionó bien, funciona bien, salió bien",
    "identity": """
        soy, vivo, trabajo, me llamo, tengo un, tengo una, tengo dos, tengo tres, mi nombre, mi mujer, mi
        marido, mi hija, mi hijo, hablo, enseño, estudio, nací, conduzco, alérgico, alérgica
    """,
    "kin": """
        mujer, marido, hija, hijo, hermano, hermana, madre, padre, perro, gato, jefe, jefa, hijos, padres,
        suegra
    """,
    "present": "es, son, soy, está, están, estoy, tiene, tienen, tengo, hay, tenemos, somos",
    "stative": """
        cierra, abre, cuesta, empieza, termina, vive, trabaja, hace, va, viene, dura, usa, usamos, contiene,
        llega, lleva, llevan, sale, come, bebe, pertenece, depende, acepta, vale, necesita, necesitan,
        necesito, debe, queda, cabe
    """,
    "schedule": """
        cada, todos los, todas las, lunes, martes, miércoles, jueves, viernes, sábado, sábados, domingo,
        domingos, plazo, diario, semanal, a las, a más tardar, horas
    """,
    "date": """
        enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre, octubre, noviembre, diciembre,
        lunes, martes, miércoles, jueves, viernes, sábado, domingo, la semana que viene, el mes que viene,
        navidad
    """,
    "until": "hasta, de momento, por ahora, temporalmente",
    "planned": """
        vacaciones, viaje, fuera, cita, reservado, inscrito, inscrita, conferencia, estaré, congreso, cubre,
        de baja
    """,
    "moment": "ahora, hoy, ayer, ahora mismo, todavía, mañana, enseguida, aún, ya",
    "opinion": "bien, genial, bonito, raro, gracioso, cansado, contento, qué, guay, rico, suena",
    "progress": "hecho, listo, en ello, enviado, actualizado, guardado, terminado, voy, aquí tienes, en marcha",
    "because": "porque, ya que, como, así que, por eso, pues, si no, para que",
    "reason": "porque, ya que, la razón",
    "negation": "no, nunca, jamás",
    "modal": "podría, debería, sería",
    "joke": """
        jaja, jajaja, lol, broma, jeje, es broma, xd
    """,
    "secret": "contraseña, clave, pin, token, código",
    "ever": "siempre, nunca",
    "again": "otra vez, de nuevo",
    "sequel": "y, luego, entonces, después, hasta, así que",
    "warn": """
        nunca, jamás, no uses, no pongas, no pongáis, no dejes, no compres, no mezcles, no metas, ojo
        con, cuidado, evita, evitad, ni
    """,
    "soon": """
        en un mes, en una semana, en dos, a los dos, a la semana, al cabo de, cada vez, al mes, a los
        pocos, en un día
    """,
    "cheap": "barato, barata, baratos, baratas, viejo, vieja",
}

SPANISH = lexicon("es", _COMMON, _CLASSES)
