import { expect } from 'chai'
import fc from 'fast-check'
import { made } from './transforms.made.ts'

describe('Transforms of a mapper, whatever they are given,', () => {
  it('never make more than a passport can hold, and come to an end, whatever they are given', () => {
    const growing = Array.from({ length: 10 }, () => `replace(a,${'a'.repeat(180)})`)
    expect(made('a'.repeat(1000), ...growing)).to.equal('! too_long')
    expect(made('a'.repeat(1_000_000), 'trim')).to.equal('! too_long')
    for (const hard of [
      '1'.repeat(200_000),
      `${'1,'.repeat(100_000)}`,
      `${' '.repeat(200_000)}x`,
      `${"'".repeat(200_000)}`,
      `1${' '.repeat(200_000)}#`,
    ]) {
      for (const one of ['number', 'gtin', 'date(yyyy-MM-dd)', 'boolean', 'slug', 'split(,)', 'trim', 'integer(,)'])
        made(hard, one)
      for (const one of ['country', 'unit', 'granularity', 'measure(KGM)', 'percent', 'day', 'first(,)'])
        made(hard, one)
    }
  })

  it('give back each number however it was written', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -99_999_999, max: 99_999_999 }),
        fc.integer({ min: 0, max: 99 }),
        (whole, cents) => {
          const digits = String(Math.abs(whole)).replace(/\B(?=(?:\d{3})+$)/g, '_')
          const rest = String(cents).padStart(2, '0')
          const sign = whole < 0 ? '-' : ''
          const expected = Number(`${sign}${Math.abs(whole)}.${rest}`) || 0
          for (const [group, decimal] of [
            [',', '.'],
            ['.', ','],
            [' ', ','],
            ["'", '.'],
            ['', '.'],
            ['', ','],
          ] as const) {
            expect(made(`${sign}${digits.replaceAll('_', group)}${decimal}${rest}`, 'number')).to.equal(expected)
          }
        },
      ),
    )
  })

  it('give back each day however it was written, and know its year, month and day', () => {
    const days = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(days, (date) => {
        const [year = '', month = '', day = ''] = date.toISOString().slice(0, 10).split('-')
        expect(made(`${day}.${month}.${year}`, 'date(dd.MM.yyyy)')).to.equal(`${year}-${month}-${day}`)
        expect(made(`${Number(month)}/${Number(day)}/${year}`, 'date(M/d/yyyy)')).to.equal(`${year}-${month}-${day}`)
      }),
    )
  })

  it('take any text in quotes as it is', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
        fc.string({ maxLength: 20, unit: 'grapheme' }),
        (from, to) => {
          const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`
          const expected = `<${from}>`.split(from).join(to)
          expect(made(`<${from}>`, `replace(${quoted(from)}, ${quoted(to)})`)).to.equal(
            expected.trim() === '' ? null : expected,
          )
        },
      ),
    )
  })

  it('never throw, whatever the value and the transform', () => {
    const written = fc.constantFrom(
      'trim',
      'upper',
      'number',
      'integer',
      'boolean',
      'date(d.M.yyyy)',
      'split(,)',
      'replace(a,b)',
      'default(x)',
      'gtin',
      'slug',
      'number(,)',
    )
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(written, { maxLength: 5 }), (value, transforms) => {
        made(value, ...transforms)
      }),
    )
  })
})
