import { expect } from 'chai'
import { languages, words, type Language } from '../../../core/languages/index.ts'
import { listPhrases, listPlaces } from './phrases.ts'

const others = languages.filter((language) => language !== 'en')
const english = listPhrases('en')

/** Paths that English leaves to the API's own words, and every other language has. */
const ownEnglishPaths = /^(?:problems\.pages|resolver\.refusals|claiming\.refusals|claiming\.refused)\b/

/** Names of products are the same in every language. */
const productNames = ['wallets.wallets.apple-wallet', 'wallets.wallets.google-wallet']

/** Phrases that are the same as in English, because the word is. */
const sameAsEnglish: Record<Exclude<Language, 'en'>, readonly string[]> = {
  fr: [
    'claiming.done.transaction',
    'me.points',
    'me.pointsAfter',
    'me.kinds.adjust',
    'product.headings.dimensions',
    'product.linkTypes.serviceInfo',
    'product.members.code',
    'product.members.description',
    'product.members.dimensions',
    'product.members.gtin',
    'product.members.performanceClaim',
    'product.members.relatedDocument',
    'product.members.volume',
    'product.purposes.other',
    'product.roles.serviceProvider',
    'product.units.NAR',
  ],
  de: [
    'token',
    'claiming.done.token',
    'product.linkTypes.serviceInfo',
    'product.members.addressRegion',
    'product.members.code',
    'product.members.definition',
    'product.members.gtin',
    'product.members.linkName',
    'product.members.name',
    'product.members.organisationWebsite',
    'product.members.symbol',
    'product.purposes.recycling',
    'product.roles.recycler',
    'product.roles.serviceProvider',
  ],
  it: ['no', 'token', 'inLanguage', 'claiming.done.token', 'product.members.gtin', 'product.members.volume'],
  es: ['no', 'token', 'claiming.done.token', 'product.members.gtin', 'product.roles.inspector'],
}

describe('Words of public pages', () => {
  it('are there in five languages with their names and regions', () => {
    expect(languages).to.deep.equal(['en', 'fr', 'de', 'it', 'es'])
    expect(languages.map((language) => words[language].name)).to.deep.equal([
      'English',
      'Français',
      'Deutsch',
      'Italiano',
      'Español',
    ])
    for (const language of languages) {
      const { region } = words[language]
      expect(region.slice(0, 2)).to.equal(language)
      expect(Intl.DateTimeFormat.supportedLocalesOf(region)).to.deep.equal([region])
    }
  })

  for (const language of others) {
    const phrases = listPhrases(language)

    it(`say everything in their own words: ${language}`, () => {
      expect([...english.keys()].filter((path) => !phrases.has(path) && !ownEnglishPaths.test(path))).to.deep.equal([])
      const same = [...phrases].filter(([path, phrase]) => path !== 'region' && phrase === english.get(path))
      expect(same.map(([path]) => path).sort()).to.deep.equal([...sameAsEnglish[language], ...productNames].sort())
    })

    it(`put every value where English has one: ${language}`, () => {
      const wrong = [...phrases].filter(([path, phrase]) => {
        const like = english.get(path)
        return like !== undefined && listPlaces(phrase).join() !== listPlaces(like).join()
      })
      expect(wrong).to.deep.equal([])
    })

    it(`refuse in the reader's language whatever the API says in English: ${language}`, () => {
      const { claiming, problems, resolver } = words[language]
      expect([claiming.refused, problems.pages, resolver.refusals].includes(null)).to.equal(false)
      expect(Object.keys(claiming.refusals).sort()).to.deep.equal(Object.keys(words.fr.claiming.refusals).sort())
      const headings = Object.values(problems.pages ?? {}).map(({ heading }) => heading)
      expect(headings).to.have.length(13)
      expect(new Set([...headings]).size).to.equal(13)
    })
  }

  for (const language of languages)
    it(`are set as its readers expect it: ${language}`, () => {
      const wrong = [...listPhrases(language)].filter(([, phrase]) => isSetWrongly(phrase, language))
      expect(wrong).to.deep.equal([])
    })
})

/** Returns whether a phrase has marks or spaces that its language sets otherwise. */
function isSetWrongly(phrase: string, language: Language): boolean {
  const text = phrase.replace(/^ (?:and|et|und|e|y) $/, '').replace(/\n$/, '')
  const hasStrayMark = /["'`]|\u2018|  |undefined|NaN|^\s|\s$/.test(text)
  return hasStrayMark || hasWrongSpace(phrase, language) || hasUnopenedMark(phrase, language)
}

/** French has a space that does not break before marks of two parts; the other languages have none. */
const hasWrongSpace = (phrase: string, language: Language): boolean =>
  language === 'fr' ? /[^\u00a0\u202f][:;?!](?!\/)/.test(phrase) : /\s[:;?!,]|\u00a0[^…]/.test(phrase)

/** Spanish opens a question and an exclamation. */
const hasUnopenedMark = (phrase: string, language: Language): boolean => {
  const count = (mark: RegExp) => (phrase.match(mark) ?? []).length
  return count(/¿/g) !== (language === 'es' ? count(/\?/g) : 0) || count(/¡/g) !== (language === 'es' ? count(/!/g) : 0)
}
