import { expect } from 'chai'
import fc from 'fast-check'
import {
  formatDigitalLinkPath,
  createDigitalLink,
  findGtin,
  isGtin,
  parseDigitalLink,
  type DigitalLink,
} from '../../../../core/features/dpp/content/gs1.ts'
import { ProblemError } from '../../../../core/kernel/problem.ts'
import { createGtin, allowedCharacters, formatItemPath, qualifierValue } from './gtin-values.ts'

const links = fc.record(
  { variant: qualifierValue, batch: qualifierValue, serial: qualifierValue },
  { requiredKeys: [] },
)

/** The path that a link is refused for; undefined where it is taken. */
function fault(path: string): string | undefined {
  try {
    parseDigitalLink(path)
    return undefined
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return `${error.code} ${error.errors?.[0]?.path}`
  }
}

const gtin = '09520123456788'

describe('GS1 Digital Links: reading and writing', () => {
  it('are read back as they were built: 10,000 random ones', () => {
    expect(new Set(allowedCharacters).size).to.equal(82)
    fc.assert(
      fc.property(links, fc.constantFrom(8, 12, 13, 14), (numbers, length) => {
        const link: DigitalLink = { gtin: createGtin(length).padStart(14, '0'), ...numbers }
        const path = formatDigitalLinkPath(link) ?? ''
        expect(path).to.match(/^(\/[\w.%-]+)+$/)
        expect(new URL(path, 'https://id.example').pathname).to.equal(path)
        expect(parseDigitalLink(path)).to.deep.equal(link)
      }),
      { numRuns: 10_000 },
    )
  })

  it('take no GTIN with a wrong digit: every change of one digit in 500 of all lengths', () => {
    for (let at = 0; at < 500; at++) {
      const right = createGtin([8, 12, 13, 14][at % 4])
      expect(isGtin(right), right).to.equal(true)
      for (let place = 0; place < right.length; place++) {
        for (const digit of '0123456789') {
          const changed = right.slice(0, place) + digit + right.slice(place + 1)
          expect(isGtin(changed), changed).to.equal(changed === right)
          if (changed !== right && digit === '7') expect(fault(`/01/${changed}`)).to.equal('INVALID_REQUEST gtin')
        }
      }
    }
  })

  it('know the GTINs of the standard, and write them with 14 digits', () => {
    for (const [givenLink, whole] of [
      ['09506000134352', '09506000134352'],
      ['9506000134352', '09506000134352'],
      ['614141123452', '00614141123452'],
      ['40170725', '00000040170725'],
    ] as const)
      expect(parseDigitalLink(`/01/${givenLink}`)).to.deep.equal({ gtin: whole })
    for (const none of [
      '',
      '1',
      '123456789',
      '0950600013435',
      '095060001343521',
      ' 40170725',
      '４0170725',
      '40170725\n',
    ])
      expect(isGtin(none), none).to.equal(false)
  })

  it('take a slash at the end, and any qualifier that is percent-encoded', () => {
    expect(parseDigitalLink(`/01/${gtin}/`)).to.deep.equal({ gtin })
    for (const slash of ['%2F', '%2f'])
      expect(parseDigitalLink(`/01/${gtin}/21/A${slash}B`)).to.deep.equal({ gtin, serial: 'A/B' })
    expect(parseDigitalLink(`/01/${gtin}/22/2A/10/A%2FB/21/%31`)).to.deep.equal({
      gtin,
      variant: '2A',
      batch: 'A/B',
      serial: '1',
    })
  })

  it('refuse other keys and qualifiers, another order, and values that are none', () => {
    const wrong = {
      '/02/1': 'path',
      '/01/': 'gtin',
      '/01/95201234567': 'gtin',
      [`/01/${gtin}/10`]: 'batch',
      [`/01/${gtin}//`]: 'path',
      [`/01/${gtin}/99/1`]: 'path',
      [`/01/${gtin}/17/261231`]: 'path',
      [`/01/${gtin}/21/1/10/1`]: 'path',
      [`/01/${gtin}/10/1/10/1`]: 'path',
      [`/01/${gtin}/10/${'1'.repeat(21)}`]: 'batch',
      [`/01/${gtin}/21/a%20b`]: 'serial',
      [`/01/${gtin}/21/%C3%A9`]: 'serial',
      [`/01/${gtin}/21/%00`]: 'serial',
      [`/01/${gtin}/22/%23`]: 'variant',
      [`/01/${gtin}/21/%zz`]: 'path',
      [`/01/${gtin}/21/%ff`]: 'path',
    }
    for (const [path, at] of Object.entries(wrong)) expect(fault(path), path).to.equal(`INVALID_REQUEST ${at}`)
  })

  it('say that they are not read when they are compressed', () => {
    for (const link of ['HAdsSA', 'CoEkAgRl3iKJFQ2wBQiDJAQ'])
      expect(() => parseDigitalLink(`/01/${gtin}/${link}`)).to.throw(ProblemError, /compressed/)
  })

  it('are those of a product: its gtin, else the digits in its id, and the numbers of its granularity', () => {
    const of = (product: object) => createDigitalLink('https://id.example', { name: 'Bag', ...product })
    const numbers = { gtin: '9520123456788', modelNumber: 'M', batchNumber: 'B 1', itemNumber: 'S/1' }
    expect(of({ ...numbers, idGranularity: 'model' })).to.equal(`https://id.example/01/${gtin}`)
    expect(of({ ...numbers, idGranularity: 'item', batchNumber: 'B1' })).to.equal(
      `https://id.example/01/${gtin}/10/B1/21/S%2F1`,
    )
    expect(of({ ...numbers, idGranularity: 'batch' }), 'a space').to.equal(null)
    expect(of({ gtin, idGranularity: 'item', itemNumber: '..' }), 'dots').to.equal(null)
    expect(findGtin({ id: `https://id.gs1.org/01/${gtin}/21/1` })).to.equal(gtin)
    expect(findGtin({ id: 'https://id.gs1.org/01/9520123456788?a=1', gtin: 'none' })).to.equal(gtin)
    expect(findGtin({ gtin: 9520123456788 })).to.equal(gtin)
    for (const none of [
      {},
      { gtin: '9520123456789' },
      { id: 'https://id.gs1.org/01/95201234567' },
      { id: 1 },
      { gtin: null },
    ])
      expect(findGtin(none), JSON.stringify(none)).to.equal(null)
  })

  it('are those that the standard spells for items with random numbers', () => {
    fc.assert(
      fc.property(
        fc.record({ batchNumber: qualifierValue, itemNumber: qualifierValue }),
        fc.constantFrom(8, 12, 13, 14),
        (numbers, length) => {
          const product = { idGranularity: 'item', name: 'Bag', gtin: createGtin(length), ...numbers }
          expect(createDigitalLink('', product)).to.equal(formatItemPath(product))
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
