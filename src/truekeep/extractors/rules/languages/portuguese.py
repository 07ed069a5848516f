"""Portuguese: its classes of words; `english` explains them."""

from __future__ import annotations

from truekeep.extractors.rules.lexicon import lexicon

_COMMON = """
    o a os as um uma de do da dos das e é não que em no na com por para se ao como mais mas meu minha nosso nossa
    nos me te são há muito já está sem foi este esta isto eu tu você nós porque quando onde ou lhe também só
    sempre nunca à às ele ela seu sua dia uns
"""

_CLASSES = {
    "i": "eu, me, mim",
    "we": "nós, nos, a gente",
    "own": "meu, minha, meus, minhas, nosso, nossa, nossos, nossas",
    "you": "tu, te, teu, tua, você, vocês, seu, sua",
    "pronoun": "isso, isto, aquilo, ele, ela, eles, elas",
    "article": "o, a, os, as, cada, todos, todas, nosso, nossa, meu, minha",
    "filler": """
        ok, está bem, tá, sim, bom, bem, e, mas, então, ah, oh, olá, oi, obrigado, obrigada, claro, perfeito,
        ótimo, exato, já agora, aliás, na verdade, bom dia, boa tarde, entendido, combinado, certo, fixe,
        pois, feito
    """,
    "no": "não, nenhum, nenhuma, nada de, zero, sem",
    "noted": "anotado, entendido, feito, ok, certo, combinado, obrigado",
    "offer": "posso, quer que, queres que, gostaria, devo, queres, quer",
    "asks": """
        como, porquê, por que, quando, onde, quem, qual, quais, quanto, quanta, quantos, o que, alguém sabe,
        alguém tem
    """,
    "if": "se, caso",
    "unreal": "seria, seriam, teria, poderia, poderíamos, fosse, tivesse, tivéssemos, iria",
    "supposing": """
        imagina, imagine, suponhamos, e se, digamos, se um dia, se algum dia, se eu ganhar, se ganharmos, se
        eu fosse, se eu tivesse, se nós tivéssemos, quem me dera, num mundo ideal, vamos supor, supondo,
        imaginem, caso um dia
    """,
    "unsure": """
        talvez, provavelmente, se calhar, não sei, sei lá, acho que, penso que, suponho, oxalá, espero que,
        quem sabe, diria que, imagino, deve ser, pode ser, aposto, possivelmente, seria bom, um dia, palpite,
        tenho a impressão, quiçá, na minha opinião, para mim é, parece-me, me parece, a olho, não tenho
        certeza, não tenho a certeza, deve estar, devem ser, calculo que, creio que, se não me engano, se bem
        me lembro, vai saber, vai ver, capaz de, de certeza que, tenho quase, é possível, pode estar, acho,
        penso
    """,
    "rumour": """
        dizem que, diz-se, ouvi dizer, ouvi que, consta que, boato, boatos, parece que, pelos vistos, ao que
        parece, disseram-me, alguém me disse, me disseram, corre o boato, supostamente, alegadamente, jura
        que, afirma que, garante que, contam que, dizem, diz que disse, contam, fofoca, fofocas, ouvi falar,
        ouvi por aí, li que, li em, li algures, li na internet, segundo a internet, me contaram, contaram-me,
        o pessoal diz, a gente ouve, diz o povo, por aí
    """,
    "sarcasm": """
        pois claro, que surpresa, que maravilha outra, que alegria, que bom mais, era só o que faltava,
        bravo, pois sim, claro que sim, ah claro, sim claro, que sorte, que beleza, que ótimo outra, que bom
        outra, maravilha outra, lindo serviço, era o que faltava, só que não, tá bom viu, o sonho de, imagina
        só
    """,
    "hearsayer": """
        gente, pessoal, alguém, vizinho, vizinha, vizinhos, amigo, amiga, colega, primo, prima, tio, tia,
        sobrinho, cunhado, barbeiro, cabeleireira, taxista, testemunha, internet, fórum, jornal, anúncio,
        cartaz, folheto, todos, muitos, eles
    """,
    "reported": """
        diz, dizem, disse, disseram, conta, contou, contaram, afirma, jura, garante, escreve, escreveu, ouvi,
        li
    """,
    "imperative": """
        envia, envie, manda, mande, faz, faça, mostra, mostre, dá, dá-me, procura, procure, escreve, escreva,
        põe, verifica, verifique, abre, abra, adiciona, apaga, liga, traz, diz, vê, prepara, marca, reserva
    """,
    "request": "podes, pode, poderias, poderia, por favor, ajuda-me, me ajude, vamos, preciso que, quero que",
    "please": "por favor",
    "standing": """
        sempre, nunca, jamais, só, somente, apenas, a partir de agora, de agora em diante, daqui para a
        frente, em vez de, ao invés de, no máximo, máximo, pelo menos, já não, cada vez, nunca mais, por
        defeito
    """,
    "only": "só, somente, apenas, no máximo",
    "calling": "chama-me, me chame, chamo-me, me chamo, pode me chamar",
    "settled": """
        decidimos, decidi, escolhemos, escolhi, ficou decidido, foi decidido, acordámos, combinámos,
        combinamos, vamos com, ficamos com, optámos, optamos, vamos usar, usaremos, temos decidido, está
        decidido, decidiu, votou, aprovou, foi aprovado, ficou assente
    """,
    "ruling": "a partir de agora, de agora em diante, regra, obrigatório, proibido, política, norma",
    "necessity": "deve, devem, tem que, tem de, têm de, é preciso, não se pode",
    "stays": "fica, ficam, continua, continuam, mantém-se",
    "likes": """
        prefiro, preferimos, prefere, gosto, gosta, gostamos, adoro, adora, odeio, odeia, detesto,
        detesta, não suporto, favorito, favorita, preferido, preferida, dá-me jeito, me convém, não sou
        fã, não é para mim, nada como, odeio quando, me irrita
    """,
    "habit": "sempre, nunca, normalmente, costumo",
    "attempt": """
        tentámos, tentamos, tentei, experimentámos, experimentamos, experimentei, da última vez, última
        vez, confiámos, confiamos, confiei, apostámos, deixámos que, uma vez
    """,
    "deed": """
        fizemos, fiz, pusemos, comprámos, usámos, usamos, com, quando, usei, pus, comprei, contratei,
        contratámos, mandámos, mandei, deixei, deixámos, pedimos, pedi, reservámos, lavei, plantámos,
        confiámos, mudámos, usar, deixar, sem, com a, com o
    """,
    "failure": """
        falhou, falharam, fracassou, partiu, partido, quebrou, quebrado, não funcionou, não funciona, não
        resultou, perdemos, perdido, perdeu, demasiado, tarde demais, pior, desastre, caos, queimado,
        queimou, derreteu, fuga, doente, mal, erro, queixas, estragado, estragada, estragou, bloqueou,
        caiu, molhado, avariou, rebentou, danificado, atrasou, descascou, descolou, rachou, rachado,
        enferrujou, enferruja, apodreceu, apodrecem, podre, murchou, murcharam, secou, secaram,
        transbordou, inundou, inundado, pingou, congelou, sobreaqueceu, encravou, encrava, entupiu,
        entupido, bloqueia, caíram, cai, riscou, riscado, manchou, manchado, desbotou, encolheu,
        estragaram, estraga, arruinou, arruinado, roubaram, roubado, feriu, ferido, infetou, infectou,
        alergia, borbulhas, enxaqueca, dor de, multa, multados, processo, reembolso, reclamações, atraso,
        atrasados, atrasado, atrasada, com atraso, fiasco, fracasso, inferno, pesadelo, inútil, em vão,
        para nada, não serve, não serviu, não aguenta, não aguentou, não presta, não pegou, ninguém veio,
        ninguém vem, ninguém leu, ninguém lê, muito caro, perderam, perde, perdem, perdeu-as, perdeu-os,
        custou-nos, custou, saiu caro, saiu mal, queimadas, queimados, queimam, queimada, partiu-se,
        quebraram, azedou, bolor, mofo, ganhou bolor, rebentaram, explodiu, desapareceu, desapareceram,
        duplicado, errado, falha, falham, confusão
    """,
    "regret": """
        nunca mais, não repetir, não voltar a, erro, lição, aprendemos, arrependo, correu mal, deu
        errado, não encomendar, foi um erro, má ideia, não foi boa ideia, não é boa ideia, não vale a
        pena, não valeu a pena, perda de tempo, dinheiro deitado, desperdício, não volto a, não voltamos
        a, devíamos ter, devia ter, deveríamos ter, olhando para trás, não recomendo, desaconselho,
        cuidado com, fiquem longe, longe de, aprendi, à nossa custa, à minha custa, serviu de lição
    """,
    "avoid": "nunca, não, evitar, evita, evite, jamais, nada de, chega de, não usar",
    "remedy": "em vez disso, melhor, por isso, portanto, só, antes",
    "past": """
        ano passado, no ano passado, última vez, mês passado, semana passada, antes, ontem, 2021, 2022, 2023,
        2024, 2025
    """,
    "success": "funcionou bem, correu bem, deu certo",
    "identity": """
        sou, moro, vivo, trabalho, chamo-me, me chamo, tenho um, tenho uma, tenho dois, tenho duas, meu nome,
        minha mulher, meu marido, minha filha, meu filho, falo, ensino, estudo, nasci, conduzo, dirijo,
        alérgico, alérgica
    """,
    "kin": """
        mulher, esposa, marido, filha, filho, irmão, irmã, mãe, pai, cão, cachorro, gato, chefe, filhos, pais,
        sogra
    """,
    "present": "é, são, sou, está, estão, estou, tem, têm, tenho, há, temos, somos",
    "stative": """
        fecha, abre, custa, começa, termina, acaba, vive, mora, trabalha, faz, vai, vem, dura, usa, contém,
        chega, leva, sai, come, bebe, pertence, depende, aceita, vale, precisa, precisam, preciso, deve, fica,
        cabe, joga, treina
    """,
    "schedule": """
        cada, todos os, todas as, segunda, terça, quarta, quinta, sexta, sábado, domingo, segundas, terças,
        quartas, quintas, sextas, sábados, domingos, prazo, diário, semanal, às, até às, horas
    """,
    "date": """
        janeiro, fevereiro, março, abril, maio, junho, julho, agosto, setembro, outubro, novembro, dezembro,
        segunda, terça, quarta, quinta, sexta, sábado, domingo, semana que vem, próxima semana, mês que vem,
        natal, páscoa
    """,
    "until": "até, por enquanto, por agora, temporariamente",
    "planned": """
        férias, viagem, fora, consulta, reservado, inscrito, inscrita, conferência, estarei, vou estar,
        substitui, de baixa
    """,
    "moment": "agora, hoje, ontem, já, ainda, amanhã, neste momento, daqui a pouco",
    "opinion": "bem, bom, boa, giro, estranho, engraçado, cansado, contente, legal, ótimo, pena, soa",
    "progress": "feito, pronto, em curso, enviado, atualizado, guardado, salvo, terminado, aqui está, a tratar",
    "because": "porque, já que, como, por isso, pois, senão, para que",
    "reason": "porque, já que, a razão",
    "negation": "não, nunca, jamais",
    "modal": "poderia, deveria, seria",
    "joke": """
        haha, kkk, rsrs, lol, brincadeira, kkkk, to brincando, estou a brincar, xd
    """,
    "secret": "senha, palavra-passe, pin, chave, token, código",
    "ever": "sempre, nunca",
    "again": "outra vez, de novo",
    "sequel": "e, depois, então, até, por isso",
    "warn": """
        nunca, jamais, não usem, não uses, não ponham, não ponhas, não deixem, não deixes, não comprem,
        não compres, não mistures, evitem, cuidado, evita, evite
    """,
    "soon": "numa semana, num mês, num dia, ao fim de, em dois, em duas, cada vez, sempre que, ao primeiro",
    "cheap": "barato, barata, baratos, baratas, velho, velha",
}

PORTUGUESE = lexicon("pt", _COMMON, _CLASSES)
