import { expect } from 'chai'
import { pieceBytes, read, shortly } from '../../support/values/import-slices.ts'

describe('Import readers: CSV of many MiB', () => {
  it('takes a cell of 1 MiB, and no record past 8 MiB', async () => {
    const long = 'x'.repeat(pieceBytes)
    expect(shortly(await read(`a,b\n1,${long}\n2,"${long}\n"\n`))).to.deep.equal([
      [2, ['1', long]],
      [3, ['2', `${long}\n`]],
    ])
    const { failure } = await read(`a,b\n1,2\n3,"${'x\n'.repeat(5 * pieceBytes)}"\n`)
    expect([failure?.code, failure?.line]).to.deep.equal(['IMPORT_RECORD_TOO_LARGE', 3])
  })
})

describe('Import readers: JSON of many MiB', () => {
  it('takes no item past 8 MiB', async () => {
    const { failure, rows } = await read(`[1, "${'x'.repeat(9 * pieceBytes)}"]`, 'json')
    expect([failure?.code, failure?.line, rows.length]).to.deep.equal(['IMPORT_RECORD_TOO_LARGE', 1, 1])
  })

  it('takes values line by line, and fails a line alone', async () => {
    const found = await read('{"a":1}\r\n\n  \n{"a":\n{"a":2,"a":3}\n[1]\n{"a":"é"}', 'ndjson')
    expect(shortly(found)).to.deep.equal([
      [1, { a: 1 }],
      [4, 'malformed'],
      [5, 'malformed'],
      [6, [1]],
      [7, { a: 'é' }],
    ])
    expect(found.rows[1]?.issue).to.deep.equal({
      path: '',
      code: 'malformed',
      message: 'Line 4 is no JSON value.',
      value: '{"a":',
    })
    const { failure } = await read(`{}\n"${'x'.repeat(9 * pieceBytes)}"`, 'ndjson')
    expect([failure?.code, failure?.line]).to.deep.equal(['IMPORT_RECORD_TOO_LARGE', 2])
  })

  it('goes on after any slice as if it had never stopped, also across pieces', async () => {
    const many = Array.from({ length: 40 }, (_, at) => ({ at, text: 'é"\\'.repeat(at % 7 === 0 ? 60_000 : at) }))
    for (const [text, format] of [
      [JSON.stringify(many, null, 1), 'json'],
      [many.map((one) => JSON.stringify(one)).join('\n'), 'ndjson'],
    ] as const) {
      const whole = await read(text, format, { size: 3 })
      expect(whole.rows.map(({ value }) => value)).to.deep.equal(many)
      for (const from of whole.places) {
        expect((await read(text, format, { from })).rows).to.deep.equal(whole.rows.slice(from.rows))
      }
    }
  })
})
