import { expect } from 'chai'
import { parsePreferences } from '../../../core/kernel/text/accept-header.ts'
import { isHarmfulAddress, isIdentifierAddress, isLinkAddress } from '../../../core/kernel/text/addresses.ts'
import { isCanonicalBase64url } from '../../../core/kernel/text/base64url.ts'
import {
  escapeHiddenCharacters,
  hasHiddenCharacters,
  isCellName,
  isName,
  isNameFormat,
} from '../../../core/kernel/text/characters.ts'
import { parseCharset } from '../../../core/kernel/text/charset.ts'
import { languages } from '../../../core/languages/index.ts'
import { consoleLanguages, findLanguage, negotiateLanguage } from '../../../core/kernel/text/languages.ts'

describe('Accept headers', () => {
  it('give their values in lower case, in their order, with their weight', () => {
    expect(parsePreferences('Text/HTML , application/json;q=0.5;v=1,*/*; Q=0')).to.deep.equal([
      { name: 'text/html', quality: 1 },
      { name: 'application/json', quality: 0.5 },
      { name: '*/*', quality: 0 },
    ])
  })

  it('count a weight that is none as 0', () => {
    for (const weight of ['2', '1.5', '0.1234', '-1', 'x', ''])
      expect(parsePreferences(`a;q=${weight}`), weight).to.deep.equal([{ name: 'a', quality: 0 }])
    for (const weight of ['1', '1.000', '0.999', '0.'])
      expect(parsePreferences(`a;q=${weight}`), weight).to.deep.equal([{ name: 'a', quality: Number(weight) }])
  })

  it('choose the language with the greatest weight, and the first of equal ones', () => {
    expect(negotiateLanguage(consoleLanguages, 'fr-CA, en;q=0.9')).to.equal('fr')
    expect(negotiateLanguage(consoleLanguages, 'en;q=0.5, fr;q=0.5')).to.equal('en')
    expect(negotiateLanguage(consoleLanguages, 'fr;q=0.5, en;q=0.5')).to.equal('fr')
    expect(negotiateLanguage(consoleLanguages, 'en;q=0.1, fr;q=0.2')).to.equal('fr')
  })

  it('choose English without a language that is supported, or with a weight of 0', () => {
    for (const header of [undefined, '', 'de', 'fr;q=0'])
      expect(negotiateLanguage(consoleLanguages, header), header).to.equal('en')
  })

  it('choose among the languages of a list, so that the console is in French for who prefers German and then French', () => {
    const header = 'de-AT, fr;q=0.8, en;q=0.5'
    expect(negotiateLanguage(consoleLanguages, header)).to.equal('fr')
    expect(negotiateLanguage(languages, header)).to.equal('de')
    expect(negotiateLanguage(languages, ['es;q=0.4', 'it;q=0.6'])).to.equal('it')
    expect(negotiateLanguage(['es', 'it'], 'de')).to.equal('es')
  })

  it('take `*` for a language that is not named', () => {
    expect(negotiateLanguage(consoleLanguages, 'en;q=0.2, *;q=0.8')).to.equal('fr')
    expect(negotiateLanguage(consoleLanguages, '*')).to.equal('en')
    expect(negotiateLanguage(consoleLanguages, 'en;q=0.2, fr;q=0.1, *')).to.equal('en')
  })

  it('are read up to fifty languages', () => {
    const others = (count: number) => Array.from({ length: count }, (_, at) => `x${at}`).join()
    expect(negotiateLanguage(consoleLanguages, `${others(49)},fr`)).to.equal('fr')
    expect(negotiateLanguage(consoleLanguages, `${others(50)},fr`)).to.equal('en')
  })
})

describe('Languages by name', () => {
  it('are found in any letters, and only in the list', () => {
    expect([findLanguage(consoleLanguages, 'FR'), findLanguage(consoleLanguages, 'en')]).to.deep.equal(['fr', 'en'])
    expect(findLanguage(languages, 'De')).to.equal('de')
    expect([findLanguage(consoleLanguages, 'de'), findLanguage(consoleLanguages, undefined)]).to.deep.equal([
      undefined,
      undefined,
    ])
  })
})

describe('Addresses', () => {
  it('lead people to https, http and ipfs only', () => {
    for (const address of ['https://a.example/b?c#d', 'HTTP://a.example', 'ipfs://bafy/x'])
      expect(isLinkAddress(address), address).to.equal(true)
    for (const address of [
      'urn:a:b',
      'mailto:a@b.example',
      'https:',
      'https://',
      'https:a.example',
      'https://user@a.example',
      'https://a.example@b',
      'https://[',
      'a.example',
      'javascript:alert(1)',
      ' https://a.example',
      'https://a.example/<b>',
      'https://a.example/\u200b',
      'https://a.example/\u202e',
    ])
      expect(isLinkAddress(address), address).to.equal(false)
  })

  it('identify by urn, did, tel and mailto too, with something behind the colon', () => {
    for (const address of ['urn:a:b', 'did:web:a.example', 'tel:+39', 'mailto:a@b.example', 'https://a.example'])
      expect(isIdentifierAddress(address), address).to.equal(true)
    for (const address of ['urn:', 'did:', 'javascript:x', 'file:///etc', 'urn', 'urn:a b', 'https:x'])
      expect(isIdentifierAddress(address), address).to.equal(false)
  })

  it('are harmful if they run code or open a file, also in disguise', () => {
    for (const address of [
      'javascript:alert(1)',
      ' JavaScript:alert(1)',
      'java\nscript:alert(1)',
      'java\u200bscript:alert(1)',
      'javascript: alert(1)',
      'javascript: /* a comment */alert(1)',
      `javascript: /*${'a'.repeat(500)}*/alert(1)`,
      'javascript: void alert (1)',
      'javascript: %61lert%281%29',
      'javascript: location = name',
      `javascript: ${'('.repeat(100_000)}`,
      `${' '.repeat(64)}javascript:alert(1)`,
      `${'\u0001\n '.repeat(64)}javascript:alert(1)`,
      `java${'\u200b'.repeat(900)}script:alert(1)`,
      `java${'\u200b'.repeat(1_100)}script:alert(1)`,
      'vbscript:x',
      'data:text/html,x',
      'data:,x',
      'data: text/html,x',
      'blob:https://a.example/x',
      'blob:null',
      'file:/etc',
      'view-source:x',
      'filesystem:x',
    ])
      expect(isHarmfulAddress(address), address).to.equal(true)
  })

  it('are not harmful where a text only begins with such a word', () => {
    for (const text of [
      'JavaScript: The Good Parts',
      'JavaScript: The Good Parts (2nd edition)',
      'JavaScript: Basics/Advanced',
      'JavaScript:',
      'Data: 12 May',
      'https://a.example',
      'no colon',
      'profile:/x',
      'java script:alert(1)',
      'see javascript:alert(1)',
      'constructor:x',
      `${' '.repeat(10_000)}Note: x`,
    ])
      expect(isHarmfulAddress(text), text).to.equal(false)
  })
})

describe('Names for people', () => {
  it('are one line that is not blank and hides nothing', () => {
    for (const name of ['A', ' Bag', 'Ärmel & Co.', '日本', 'क\u200dष', '👩\u200d🚀'])
      expect(isName(name), name).to.equal(true)
    for (const name of ['', '  ', 'a\nb', 'a\tb', 'a\u200db', '\u200da', 'a\u202eb', 'a\u0000', 'a\u00ad'])
      expect(isName(name), JSON.stringify(name)).to.equal(false)
  })

  it('may have tabs and line ends in a cell', () => {
    for (const name of ['a\nb', '\n\tBag', 'a\tb']) expect(isCellName(name), JSON.stringify(name)).to.equal(true)
    for (const name of ['', '\n', 'a\u200db', 'a\u202eb'])
      expect(isCellName(name), JSON.stringify(name)).to.equal(false)
  })

  it('have two formats in schemas', () => {
    expect(['name', 'cell-name', 'toString', 'uri', undefined].map(isNameFormat)).to.deep.equal([
      true,
      true,
      false,
      false,
      false,
    ])
  })
})

describe('Hidden characters', () => {
  it('are found with joiners, and shown by their code without them', () => {
    expect(['a', 'a\u200d', 'a\u202e', 'a\u0007'].map(hasHiddenCharacters)).to.deep.equal([false, true, true, true])
    expect(escapeHiddenCharacters('a\u202eb\u0007c\u200dd\u{e0001}')).to.equal('a[U+202E]b[U+0007]c\u200dd[U+E0001]')
  })
})

describe('Charsets of a content type', () => {
  it('are read in lower case, quoted or not', () => {
    expect(parseCharset('text/csv; charset=UTF-8')).to.equal('utf-8')
    expect(parseCharset('text/csv;a=b;charset = "Windows-1252" ')).to.equal('windows-1252')
    expect(parseCharset('text/csv; charset=a; b=c')).to.equal('a')
  })

  it('are null if none is named', () => {
    for (const type of [undefined, 'text/csv', 'text/csv; charset=', 'text/csv; charset=""', 'text/csv; charset=" "'])
      expect(parseCharset(type), type).to.equal(null)
  })
})

describe('Base64url', () => {
  it('has one spelling of the same bytes', () => {
    expect(['', 'AA', 'AQID', '-_8'].map(isCanonicalBase64url)).to.deep.equal([true, true, true, true])
    expect(['AB', 'AA==', 'A', '+/8', 'A A'].map(isCanonicalBase64url)).to.deep.equal([
      false,
      false,
      false,
      false,
      false,
    ])
  })
})
