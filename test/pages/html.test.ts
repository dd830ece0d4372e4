import { expect } from 'chai'
import fc from 'fast-check'
import { isName, escapeHiddenCharacters } from '../../core/kernel/text/characters.ts'
import { html, sanitizeAddress } from '../../core/pages/site/html.ts'
import { showInvisible } from '../../tools/arguments/show-invisible.ts'

/** Where a browser goes from a page of ours; null where the address is none. */
const goesTo = (address: string) => URL.parse(address, 'https://pages.example/p/1')

describe('core/pages/html: addresses', () => {
  const parts = fc.constantFrom(
    'javascript:',
    'JAVASCRIPT:',
    'data:',
    'vbscript:',
    'file:',
    'blob:',
    'https:',
    'http:',
    '/',
    '//',
    '\\',
    '\t',
    '\n',
    ' ',
    '\u0000',
    '\u202e',
    '\u200b',
    '@',
    'evil.example',
    'user:word',
    'alert(1)',
    '#',
    '?',
    '%0a',
    ':',
    '.',
    'a',
  )

  it('leads to the web, to a page of ours, or nowhere', () =>
    fc.assert(
      fc.property(
        fc.array(parts, { maxLength: 6 }).map((all) => all.join('')),
        (address) => {
          const safe = sanitizeAddress(address)
          const led = goesTo(safe)
          expect(safe === '#' || safe === address).to.equal(true)
          expect(safe).to.not.match(/[\s\\\p{Cc}\u202e\u200b]/u)
          expect(led?.protocol).to.match(/^https?:$/)
          expect([led?.username, led?.password]).to.deep.equal(['', ''])
          if (!/^https?:/i.test(safe)) expect(led?.origin, safe).to.equal('https://pages.example')
        },
      ),
      { numRuns: 20_000 },
    ))

  it('is held to that by the template itself, where nobody thought of it', () => {
    const address = 'javascript:alert(1)'
    expect(
      html`<a href="${address}" title="${address}">x</a><img src="${address}"><form action='${address}'>`.text,
    ).to.equal(`<a href="#" title="${address}">x</a><img src="#"><form action='#'>`)
    expect(
      html`<a href="/p/${'1'}?lang=${'en'}">x</a><a href="${'/claim?a=1&b=2'}">y</a><a href="#${'z'}">z</a>`.text,
    ).to.equal('<a href="/p/1?lang=en">x</a><a href="/claim?a=1&amp;b=2">y</a><a href="#z">z</a>')
  })
})

describe('core/pages/html: invisible characters', () => {
  it('are the same for pages and for the bridge', () => {
    const differing: string[] = []
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const text = `a${String.fromCodePoint(code)}b`
      if (escapeHiddenCharacters(text) !== showInvisible(text, false)) differing.push(code.toString(16))
    }
    expect(differing).to.deep.equal([])
  })

  it('are in no name, whatever is around them', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        if (isName(text))
          expect([escapeHiddenCharacters(text), /[\n\r\t]/.test(text), text.trim()]).to.deep.equal([
            text,
            false,
            text.trim() || 'not blank',
          ])
      }),
      { numRuns: 20_000 },
    ))

  it('do not keep a name waiting, however long it is', () => {
    expect(isName(`${'\u0939\u094d\u200d'.repeat(100_000)}\u202e`)).to.equal(false)
    expect(isName(`${' '.repeat(100_000)}\u202e`)).to.equal(false)
  })
})
