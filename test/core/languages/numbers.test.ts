import { expect } from 'chai'
import { formatMailText } from '../../../core/kernel/text/mail-text.ts'
import { languages, words, type Language } from '../../../core/languages/index.ts'
import { createNumerals } from '../../../core/languages/numerals.ts'

/** The letters of a text message that take one place or two. Source: GSM 03.38, 6.2.1. */
const textLetters = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà^{}\\[~\]|€]*$/

describe('Numbers in words', () => {
  it('choose the form of the word, also where a language counts none as one', () => {
    const forms = (language: Language) =>
      [0n, 1n, 2n, 1_000_000n].map((points) => words[language].me.pointsAfter(points)).join()
    expect(languages.map(forms)).to.deep.equal([
      'points,point,points,points',
      'point,point,points,points',
      'Punkte,Punkt,Punkte,Punkte',
      'punti,punto,punti,punti',
      'puntos,punto,puntos,puntos',
    ])
  })

  it('agree with the verb, and with what comes next', () => {
    const say = (language: Language, points: bigint) => {
      const { expiring, pending, waiting } = words[language].me
      return [expiring(points), waiting(points), pending(points)].join(' | ')
    }
    expect(languages.map((language) => say(language, 1n))).to.deep.equal([
      '1 expires on | 1 more from | and 1 that you can use later',
      '1 expire le | 1 de plus à partir du | et 1 utilisable plus tard',
      '1 verfällt am | 1 weiterer ab | und 1 später einlösbarer',
      '1 punto in scadenza: | Un altro punto in arrivo: | e 1 utilizzabile più avanti',
      '1 caduca el | 1 más a partir del | y 1 que podrá usar más adelante',
    ])
    expect(languages.map((language) => say(language, 12_000n))).to.deep.equal([
      '12,000 expire on | 12,000 more from | and 12,000 that you can use later',
      '12\u202f000 expirent le | 12\u202f000 de plus à partir du | et 12\u202f000 utilisables plus tard',
      '12.000 verfallen am | 12.000 weitere ab | und 12.000 später einlösbare',
      '12.000 punti in scadenza: | Altri 12.000 punti in arrivo: | e 12.000 utilizzabili più avanti',
      '12.000 caducan el | 12.000 más a partir del | y 12.000 que podrá usar más adelante',
    ])
  })

  it('say how many visits a level is away', () => {
    const say = (language: Language) =>
      [1, 2].map((visits) => words[language].me.toNextTier(visits, 'Gold')).join(' | ')
    expect(languages.map(say)).to.deep.equal([
      '1 more visit to Gold | 2 more visits to Gold',
      'encore 1 visite jusqu’à Gold | encore 2 visites jusqu’à Gold',
      'noch 1 Besuch bis Gold | noch 2 Besuche bis Gold',
      'ancora una visita per il livello Gold | ancora 2 visite per il livello Gold',
      '1 visita más para Gold | 2 visitas más para Gold',
    ])
  })

  it('have as many forms as a language tells apart', () => {
    const { choose } = createNumerals('pl-PL')
    const forms = { one: 'punkt', few: 'punkty', many: 'punktów', other: 'punktu' }
    expect([1, 2, 5, 22, 1.5].map((count) => choose(count, forms))).to.deep.equal([
      'punkt',
      'punkty',
      'punktów',
      'punkty',
      'punktu',
    ])
    expect(choose(5, { one: 'a', other: 'b' })).to.equal('b')
  })
})

describe('Messages with a code', () => {
  for (const language of languages) {
    const { mail, subject, text } = words[language].code

    it(`name the code first, its sender and its minutes: ${language}`, () => {
      for (const message of [formatMailText(mail('492039', 'Alba', 10)), text('492039', 'Alba', 10)])
        expect(message)
          .to.match(/^492039 /)
          .and.to.contain('Alba')
          .and.to.contain(' 10 ')
      expect(subject('492039', 'Alba')).to.match(/^492039 .* Alba$/)
    })

    it(`fit as texts into two parts with any name, in letters that a text has: ${language}`, () => {
      const shortest = text('492039', '', 10)
      expect(shortest.length).to.be.at.most(74)
      expect(shortest).to.match(textLetters)
    })
  }
})
