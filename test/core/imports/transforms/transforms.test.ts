import { expect } from 'chai'
import { passportSink } from '../../../../core/features/dpp/index.ts'
import { compileMapper } from '../../../../core/features/imports/mapping/mapping.ts'
import { parseTransform } from '../../../../core/features/imports/transforms/transforms.ts'
import { findInexactNumbers } from '../../../../core/kernel/json/json.ts'
import { made } from './transforms.made.ts'

const messageOf = (value: unknown, transform: string): string =>
  compileMapper(
    [{ destination: 'data.v', kind: 'field', source: '$.v', transforms: [transform] }],
    { format: 'json' },
    passportSink,
  )({ v: value }).errors[0]?.message ?? ''

/** Each line: what is given, what it becomes. */
function table(transform: string, cases: readonly (readonly [unknown, unknown])[]): void {
  for (const [given, expected] of cases) {
    expect(made(given, transform), `${transform} of ${JSON.stringify(given)}`).to.deep.equal(expected)
  }
}

describe('Mapper: transforms', () => {
  it('read numbers as people of several countries write them', () => {
    table('number', [
      ['1234.5', 1234.5],
      ['1,234.56', 1234.56],
      ['1.234,56', 1234.56],
      ['1 234,56', 1234.56],
      ['1\u202f234,56', 1234.56],
      ['1\u00a0234', 1234],
      ["1'234.50", 1234.5],
      ['1’234’567,8', 1234567.8],
      ['1.234.567', 1234567],
      ['12,34,567', 1234567],
      ['0,125', 0.125],
      ['0.125', 0.125],
      ['12,5', 12.5],
      ['.5', 0.5],
      ['-3,5', -3.5],
      ['\u22123.5', -3.5],
      ['+7', 7],
      ['007', 7],
      [' 42 ', 42],
      ['1.5e3', 1500],
      ['4.00638E+12', 4006380000000],
      [12.5, 12.5],
      ['-0', 0],
      ['1234,5', 1234.5],
    ])
  })

  it('refuse a number that can mean two, until the mapper says which sign stands before decimals', () => {
    table('number', [
      ['1,234', '! ambiguous_number'],
      ['1.234', '! ambiguous_number'],
      ['-12.500', '! ambiguous_number'],
    ])
    table('number(.)', [
      ['1,234', 1234],
      ['1.234', 1.234],
      ['1,234.5', 1234.5],
      ['1,23', '! not_number'],
    ])
    table('number(,)', [
      ['1,234', 1.234],
      ['1.234', 1234],
      ['1.234,5', 1234.5],
      ['1.23', '! not_number'],
    ])
    expect(messageOf('1,234', 'number')).to.contain('1234 or 1.234').and.contain('number(.)')
  })

  it('refuse what is no number, and what would not be kept to the digit', () => {
    for (const text of [
      'abc',
      '12 EUR',
      '€ 12',
      '12%',
      '1.2.3',
      '1,2,3',
      '1 23',
      '--1',
      '5.',
      '1e',
      ',',
      '1.234,56,7',
      '1,234.5.6',
      '0x10',
      'Infinity',
      'NaN',
      '12345678901234567890',
      '0.1234567890123456789',
      '1e-400',
      '3e-324',
      '1e400',
      "1'234 567",
      '1'.repeat(100),
    ]) {
      expect(made(text, 'number'), text).to.equal('! not_number')
    }
  })

  it('keep the numbers that a body of JSON keeps, and no others', () => {
    for (const text of [
      '9007199254740991',
      '9007199254740992',
      '9007199254740993',
      '100000000000000000000',
      '123456789012345678',
      '0.1',
      '0.30000000000000004',
      '0.300000000000000041',
      '1.10',
      '1e21',
      '1.5e-7',
      '12345678901234567e3',
      '0.000000000000000000001',
      '00000000000000000012',
      '5e-324',
      '4e-324',
      '2e308',
    ]) {
      const inJson = !/^0\d/.test(text) ? findInexactNumbers(`[${text}]`, 1).length === 0 : true
      expect(made(text, 'number'), text).to.equal(inJson ? Number(text) : '! not_number')
    }
  })

  it('take whole numbers for integers', () => {
    table('integer', [
      ['12', 12],
      ['12.0', 12],
      ['1 234', 1234],
      ['12.5', '! not_integer'],
      [12.5, '! not_integer'],
      [7, 7],
    ])
    table('integer(,)', [
      ['1.234', 1234],
      ['1,5', '! not_integer'],
    ])
  })

  it('read yes and no in five languages', () => {
    for (const word of [
      'true',
      'TRUE',
      ' Yes ',
      'y',
      'oui',
      'vrai',
      'sí',
      'si\u0301',
      'Sì',
      'ja',
      'wahr',
      'vero',
      'x',
      'X',
      '1',
      1,
      true,
    ]) {
      expect(made(word, 'boolean'), String(word)).to.equal(true)
    }
    for (const word of ['false', 'no', 'N', 'non', 'faux', 'nein', 'falsch', 'falso', '0', 0, false]) {
      expect(made(word, 'boolean'), String(word)).to.equal(false)
    }
    table('boolean', [
      ['maybe', '! not_boolean'],
      ['2', '! not_boolean'],
      ['', null],
      [' ', null],
    ])
  })

  it('read dates in the format that the mapper names', () => {
    table('date(dd.MM.yyyy)', [
      ['31.01.2026', '2026-01-31'],
      ['31.02.2026', '! not_date'],
      ['29.02.2024', '2024-02-29'],
      ['29.02.2100', '! not_date'],
      ['1.2.2026', '! not_date'],
      ['31.01.26', '! not_date'],
      ['31.01.2026x', '! not_date'],
      ['31.13.2026', '! not_date'],
      ['00.01.2026', '! not_date'],
      ['31/01/2026', '! not_date'],
    ])
    table('date(dd.MM.yy)', [
      ['31.01.26', '2026-01-31'],
      ['31.12.79', '2079-12-31'],
      ['31.12.80', '! not_date'],
      ['31.01.2026', '! not_date'],
    ])
    table('date(d/M/yyyy)', [
      ['1/2/2026', '2026-02-01'],
      ['01/12/2026', '2026-12-01'],
      ['001/2/2026', '! not_date'],
    ])
    table('date(yyyyMMdd)', [
      ['20260131', '2026-01-31'],
      [20260131, '2026-01-31'],
      ['2026131', '! not_date'],
    ])
    table("date(yyyy-MM-dd'T'HH:mm:ss)", [
      ['2026-01-31T10:20:30', '2026-01-31T10:20:30Z'],
      ['2026-01-31T24:00:00', '! not_date'],
    ])
    table('date(yyyy-MM-ddTHH:mm:ss.SSSXXX)', [['2026-01-31T10:20:30.450+01:00', '2026-01-31T10:20:30.450+01:00']])
    table('date(dd.MM.yyyy HH:mm)', [['31.01.2026 08:05', '2026-01-31T08:05:00Z']])
  })

  it('refuse a format that tells no day, with a sentence that names the letters', () => {
    for (const format of [
      'yyyy',
      'dd/mm/yyyy',
      'YYYY-MM-DD',
      'dd.MM.yyyy HH',
      'dd.MM.yyyy dd',
      "dd.MM.yyyy '",
      'yyyy-MM-dd XXX',
      'dd MMM yyyy',
    ]) {
      expect(parseTransform(`date(${format})`), format).to.be.a('string')
    }
    expect(parseTransform('date(dd/mm/yyyy)')).to.contain('mm stands for minutes')
    expect(parseTransform('date(YYYY-MM-DD)')).to.contain('does not know YYYY')
    expect(parseTransform('date')).to.contain('date(dd.MM.yyyy)')
  })

  it('make GTINs of 14 digits and judge the check digit', () => {
    table('gtin', [
      ['4006381333931', '04006381333931'],
      ['036000291452', '00036000291452'],
      [36000291452, '00036000291452'],
      ['4006-381 333931', '04006381333931'],
      ['96385074', '00000096385074'],
      ['4006381333930', '! not_gtin'],
      ['4.00638E+12', '! not_gtin'],
      ['0000000000000', '! not_gtin'],
      ['1234567', '! not_gtin'],
      ['123456789012345', '! not_gtin'],
      ['abc', '! not_gtin'],
      ['', null],
    ])
    expect(messageOf('4006381333930', 'gtin')).to.contain('check digit would be 1')
    expect(messageOf('4.00638E+12', 'gtin')).to.contain('spreadsheet')
  })

  it('change text, and each element of a list', () => {
    table('trim', [
      ['  a ', 'a'],
      [
        ['a ', ' b'],
        ['a', 'b'],
      ],
      [' ', null],
      [5, '5'],
      [{ a: 1 }, '! not_text'],
    ])
    table('upper', [['straße', 'STRASSE']])
    table('lower', [['ÀB', 'àb']])
    table('slug', [
      ['Käthe & Söhne', 'kathe-sohne'],
      ['日本', '! no_slug'],
    ])
    table('split(,)', [
      ['a,b,,c', ['a', 'b', 'c']],
      ['a', ['a']],
      [',', null],
    ])
    table('split( )', [['a b', ['a', 'b']]])
    table('split("|")', [['a|b', ['a', 'b']]])
    table('split(\\t)', [['a\tb', ['a', 'b']]])
    table('replace(",", ".")', [['1,5,x', '1.5.x']])
    table('replace(a,b)', [['banana', 'bbnbnb']])
    table('replace(a,)', [['banana', 'bnn']])
    table('replace(a,$&\\,)', [['a', '$&,']])
    table('default(EUR)', [
      ['', 'EUR'],
      [null, 'EUR'],
      ['USD', 'USD'],
    ])
    expect(made('a, b ,c', 'split(,)', 'trim', 'upper')).to.deep.equal(['A', 'B', 'C'])
    expect(made(' ', 'trim', 'default(0)', 'integer')).to.equal(0)
    expect(made(' \u00a0\t', 'default(none)')).to.equal('none')
    expect(made('1,5;2', 'split(;)', 'number')).to.deep.equal([1.5, 2])
  })

  it('write countries, units, and words for what a row is as their codes', () => {
    for (const [given, code] of Object.entries({ de: 'DE', DEU: 'DE', Österreich: 'AT', 'États-Unis': 'US', UK: 'GB' }))
      expect(made(given, 'country'), given).to.equal(code)
    expect([made('Atlantis', 'country'), made(' ', 'country')]).to.deep.equal(['! not_country', null])
    for (const [given, code] of Object.entries({ kg: 'KGM', 'Gr.': 'GRM', '[cm]': 'CMT', mmt: 'MMT', '"': 'INH' }))
      expect(made(given, 'unit'), given).to.equal(code)
    expect(made('Stück', 'unit')).to.equal('! not_unit')
    for (const [given, word] of Object.entries({ Unidad: 'item', lotto: 'batch', Modèle: 'model', ITEM: 'item' }))
      expect(made(given, 'granularity'), given).to.equal(word)
    expect(made('pallet', 'granularity')).to.equal('! not_granularity')
  })

  it('write measures in one unit, percentages as shares, and of times or lists what comes first', () => {
    expect(['850 g', '1,35 kg', '0.9kg', '2'].map((text) => made(text, 'measure(KGM)'))).to.deep.equal([
      0.85, 1.35, 0.9, 2,
    ])
    expect([made('1,234 kg', 'measure(GRM,",")'), made('1,234 kg', 'measure(GRM)')]).to.deep.equal([
      1234,
      '! ambiguous_number',
    ])
    for (const wrong of ['12 cm', 'heavy', 'about 3 kg', '3 lb'])
      expect(made(wrong, 'measure(KGM)'), wrong).to.equal('! not_measure')
    expect(['15 %', '7,5%', '100', 0].map((text) => made(text, 'percent'))).to.deep.equal([0.15, 0.075, 1, 0])
    expect([made('101', 'percent'), made('-1 %', 'percent')]).to.deep.equal(['! not_percent', '! not_percent'])
    expect(made('02.03.2026 10:15', 'date(dd.MM.yyyy HH:mm)', 'day')).to.equal('2026-03-02')
    expect(made('2026', 'day')).to.equal('! not_date')
    expect([made('https://a.example/1, https://a.example/2', 'first(",")'), made('a', 'first(;)')]).to.deep.equal([
      'https://a.example/1',
      'a',
    ])
  })

  it('are refused when nobody knows them or what stands in their brackets', () => {
    for (const wrong of [
      'uper',
      'trim(x)',
      'split',
      'split()',
      'replace(a)',
      'replace(,,.)',
      'replace("",x)',
      'default()',
      'number(;)',
      'measure',
      'measure(STK)',
      'percent(;)',
      'first()',
      'eval(1)',
      '__proto__',
      'constructor',
      'toString()',
      'replace(a,b',
      '',
      '()',
    ]) {
      expect(parseTransform(wrong), wrong).to.be.a('string')
    }
  })
})
