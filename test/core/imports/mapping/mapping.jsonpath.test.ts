import { expect } from 'chai'
import fc from 'fast-check'
import { jsonpath } from 'json-p3'
import type { MapperRow } from '../../../../core/features/imports/index.ts'
import { compileJsonPath } from '../../../../core/features/imports/mapping/mapping.jsonpath.ts'
import { faults, field, json } from './mapping.cases.ts'

describe('Rows of a mapper of JSON', () => {
  it('read JSON by JSONPath, and by plain names', () => {
    const item = {
      sku: 'A',
      'first name': 'Ada',
      size: { eu: 38 },
      empty: '',
      none: null,
      images: [
        { url: 'a', main: false },
        { url: 'b', main: true },
      ],
      tags: ['x', 'y'],
      one: ['z'],
    }
    const { body, errors } = json(
      [
        field('reference', '$.sku'),
        field('data.name', 'first name'),
        field('data.size', 'size.eu'),
        field('data.tags', '$.tags[*]'),
        field('data.one', '$.one[*]'),
        field('data.last', '$.tags[-1]'),
        field('data.picture', '$.images[?@.main==true].url'),
        field('data.urls', '$..url'),
        field('data.empty', '$.empty'),
        field('data.none', '$.none'),
        field('data.absent', '$.nothing.at.all'),
        field('data.whole', '$.size'),
        { destination: 'data.text', kind: 'template', value: '{{$.tags[*]}}: {{size.eu}}' },
      ],
      item,
    )
    expect(errors).to.deep.equal([])
    expect(body).to.deep.equal({
      reference: 'A',
      data: {
        name: 'Ada',
        size: 38,
        tags: ['x', 'y'],
        one: ['z'],
        last: 'y',
        picture: 'b',
        urls: ['a', 'b'],
        whole: { eu: 38 },
        text: 'x, y: 38',
      },
    })
    expect(json([field('reference', '$.a')], [1]).errors.map(({ code }) => code)).to.deep.equal(['type'])
    expect(json([field('reference', '$.__proto__'), field('data.c', '$.constructor')], {}).body).to.deep.equal({})
  })

  it('take no JSONPath that runs a regular expression or whose work outgrows its item', () => {
    const path = (source: string) => faults([field('data.a', source)], 'json')
    for (const source of [
      '$.',
      '$[',
      '$.a b',
      '$[?match(@.a, "(a+)+$")]',
      '$[?search(@.a, "x")]',
      '$..a..b',
      '$[0,1][0,1]',
      '$[?@.a][?@.b]',
      '$[?@..a]',
      '$[?$..a]',
      '$.a[?count(@.*)>1]',
    ]) {
      expect(path(source), source).to.deep.equal(['rows[0].source jsonpath'])
    }
    expect(faults([{ destination: 'data.a', kind: 'template', value: '{{$..a..b}}' }], 'json')).to.deep.equal([
      'rows[0].value jsonpath',
    ])
    expect(faults([{ destination: 'data.a', kind: 'concat', source: ['$.a', '$['] }], 'json')).to.deep.equal([
      'rows[0].source[1] jsonpath',
    ])
    expect(faults([field('data.a', '$[')], 'csv')).to.deep.equal([])
  })

  it('find what the path library itself finds, in the same order', () => {
    const paths = [
      '$..a',
      '$.*',
      '$[*].a',
      '$..*',
      '$..[0]',
      '$.a[?@.b]',
      '$[?@.a == 1]',
      '$..[?@.a]',
      '$[0:2]',
      "$['a','b']",
      '$[::-1]',
      '$..a.b',
      '$.b..a',
    ]
    const item = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(1, 'x', null, true),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
      ),
    })).value
    fc.assert(
      fc.property(item, fc.constantFrom(...paths), (value, path) => {
        const reader = compileJsonPath(path)
        if (typeof reader === 'string') throw new Error(reader)
        const expected = jsonpath.query(path, value as never).values()
        const picks = path.includes('?') && !path.includes('..') && expected.length === 1
        expect(reader(value)).to.deep.equal(expected.length === 0 ? undefined : picks ? expected[0] : expected)
      }),
      { numRuns: 500 },
    )
  })

  it('search an item 50 times at most, also by one path', () => {
    const template = (uses: number): MapperRow => ({
      destination: 'data.x',
      kind: 'template',
      value: '{{$..z}}'.repeat(uses),
    })
    expect(
      faults(
        [template(20), { ...template(20), destination: 'data.y' }, { ...template(10), destination: 'data.z' }],
        'json',
      ),
    ).to.deep.equal([])
    expect(
      faults(
        [template(20), { ...template(20), destination: 'data.y' }, { ...template(11), destination: 'data.z' }],
        'json',
      ),
    ).to.deep.equal(['rows too_many'])
  })

  it('give up on an item that a path would search without end, and tell so', () => {
    const wide = { list: Array.from({ length: 60_000 }, (_, at) => ({ at })) }
    for (const path of ['$..at', '$.list[*].at', '$.list[?@.at == 1]', '$..[?@.at == 5]']) {
      expect(
        json([field('data.a', path)], wide).errors.map(({ code }) => code),
        path,
      ).to.deep.equal(['too_complex'])
    }
    const rows = Array.from({ length: 51 }, (_, at) => field(`data.a${at}`, `$..a${at}`))
    expect(faults(rows, 'json')).to.deep.equal(['rows too_many'])
    json(rows.slice(0, 50), { list: Array.from({ length: 5_000 }, () => [[[1]]]) })
  })
})
