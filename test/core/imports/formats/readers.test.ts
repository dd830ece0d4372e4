import { expect } from 'chai'
import fc from 'fast-check'
import { countRows, openSource } from '../../../../core/features/imports/formats/formats.ts'
import { InitError, type Dialect } from '../../../../core/features/imports/records/imports.types.ts'
import { detectDialect } from '../../../../core/features/imports/staging/staging.detect.ts'
import { inPieces, read, shortly } from '../../../support/values/import-slices.ts'

describe('Import readers: CSV', () => {
  it('takes what RFC 4180 allows: quoted delimiters, quotes and line breaks, and no line break at the end', async () => {
    const found = await read('a,b\r\n1,"x, ""y""\r\nz"\r\n2,\r\n"",4')
    expect(found.columns).to.deep.equal(['a', 'b'])
    expect(shortly(found)).to.deep.equal([
      [2, ['1', 'x, "y"\r\nz']],
      [4, ['2', '']],
      [5, ['', '4']],
    ])
  })

  for (const [what, text, delimiter] of [
    ['semicolons', 'a;b;c\n1,5;"x;y";z\n2,5;u;v\n', ';'],
    ['tabs', 'a\tb\tc\n1,5\tx;y\tz\n2,5\tu\tv\n', '\t'],
    ['commas', 'a,b,c\n"1;5",x;y,z\n2;5,u,v\n', ','],
    ['a hint of a spreadsheet', 'sep=;\na,x;b,y\n1;2\n', ';'],
  ] as const) {
    it(`finds out ${what}`, async () => {
      const { dialect, rows } = await read(text)
      expect(dialect.delimiter).to.equal(delimiter)
      expect(
        rows.filter(({ issue }) => issue),
        JSON.stringify(rows),
      ).to.deep.equal([])
    })
  }

  it('takes one column for what it is', async () => {
    const found = await read('ref\nA-1\n"A,2"\n')
    expect([found.dialect.delimiter, found.columns]).to.deep.equal([',', ['ref']])
    expect(shortly(found)).to.deep.equal([
      [2, ['A-1']],
      [3, ['A,2']],
    ])
  })

  const letters = 'nom;prix\nÉté “doré”;12 €\n'
  const utf16 = (mark: string, swapped: boolean) => {
    const bytes = Buffer.from(mark + letters, 'utf16le')
    return swapped ? bytes.swap16() : bytes
  }
  for (const [what, bytes, encoding, bom] of [
    ['UTF-8', Buffer.from(letters), 'utf-8', false],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${letters}`), 'utf-8', true],
    ['UTF-16 LE with a mark', utf16('\ufeff', false), 'utf-16le', true],
    ['UTF-16 BE with a mark', utf16('\ufeff', true), 'utf-16be', true],
    ['UTF-16 LE', utf16('', false), 'utf-16le', false],
    ['UTF-16 BE', utf16('', true), 'utf-16be', false],
  ] as const) {
    it(`reads ${what}`, async () => {
      const found = await read(bytes)
      expect([found.dialect.encoding, found.dialect.bom, found.columns]).to.deep.equal([encoding, bom, ['nom', 'prix']])
      expect(shortly(found)).to.deep.equal([[2, ['Été “doré”', '12 €']]])
    })
  }

  it('reads Windows-1252 with its own signs', async () => {
    const bytes = Buffer.from('nom;prix\n\x93Ét\xe9\x94;12 \x80\n'.replace('É', '\xc9'), 'latin1')
    expect(shortly(await read(bytes, 'csv', { encoding: 'windows-1252' }))).to.deep.equal([[2, ['“Été”', '12 €']]])
  })

  it('counts physical lines by whatever ends them, empty ones too', async () => {
    expect(shortly(await read('a,b\r1,2\r\r3,"4\r5"\r6,7'))).to.deep.equal([
      [2, ['1', '2']],
      [4, ['3', '4\r5']],
      [6, ['6', '7']],
    ])
    expect(shortly(await read('\n\na,b\n\n1,2\r\n\r\n"3\n\n",4\n5,6'))).to.deep.equal([
      [5, ['1', '2']],
      [7, ['3\n\n', '4']],
      [10, ['5', '6']],
    ])
  })

  it('leaves out records of empty cells, and cells past the header that are empty', async () => {
    expect(shortly(await read('a;b\n1;2;;\n;\n  ; \n3;4\n;;;;\n'))).to.deep.equal([
      [2, ['1', '2']],
      [5, ['3', '4']],
    ])
  })

  it('keeps blanks around values, and takes them off the names of columns', async () => {
    const found = await read(' a , b,,\n 1 ,2 ,3,4\n')
    expect(found.columns).to.deep.equal(['a', 'b', 'column_3', 'column_4'])
    expect(shortly(found)).to.deep.equal([[2, [' 1 ', '2 ', '3', '4']]])
  })

  it('keeps the name of a column that stands twice', async () => {
    expect((await read('a,b,a\n1,2,3')).columns).to.deep.equal(['a', 'b', 'a'])
  })

  it('takes quotation marks in the middle of a cell as text', async () => {
    expect(shortly(await read('a,b\n1,3" pipe\n2,the "best" one\n'))).to.deep.equal([
      [2, ['1', '3" pipe']],
      [3, ['2', 'the "best" one']],
    ])
  })

  it('fails a record alone: too few cells, too many, a header again, a mark in a wrong place, no text', async () => {
    const found = await read('a,b\n1\n1,2,3\n a,b \n1,"2\n3,"4"\n5,\0\n6,7\n')
    expect(shortly(found)).to.deep.equal([
      [2, 'too_few_cells'],
      [3, 'too_many_cells'],
      [4, 'header_repeated'],
      [5, 'quotes'],
      [7, 'text'],
      [8, ['6', '7']],
    ])
    expect(found.rows.map(({ issue }) => issue?.message)).to.deep.equal([
      'The record has 1 cell where the header has 2.',
      'The record has 3 cells where the header has 2. A cell that holds the delimiter has to stand in quotation marks.',
      'This line repeats the header; it is no row.',
      'A quotation mark of this record is closed in a wrong place, or not at all.',
      'The cell has a character that is not text.',
      undefined,
    ])
    expect(found.rows[4]?.issue).to.include({ path: 'b', value: '\ufffd' })
  })

  it('says on which line a quotation mark is opened that is never closed, after the rows before it', async () => {
    const found = await read('a,b\n1,2\n3,4\n5,"6\n7,8\n')
    expect(shortly(found)).to.deep.equal([
      [2, ['1', '2']],
      [3, ['3', '4']],
    ])
    expect([found.failure?.code, found.failure?.line]).to.deep.equal(['IMPORT_FILE_BROKEN', 4])
    expect(found.failure?.message).to.equal('The record on line 4 opens a quotation mark that is never closed.')
  })

  it('takes a record of very many cells that begin with a quotation mark in the time of its size', async () => {
    const cells = Array.from({ length: 100_000 }, (_, at) => `"""${at}\n"`)
    expect(shortly(await read(`a,b\n${cells.join(',')}\n1,2\n`))).to.deep.equal([
      [2, 'too_many_cells'],
      [100_003, ['1', '2']],
    ])
  }).timeout(10_000)

  it('takes no header that is not text, and quotes none in a way that no table can hold', async () => {
    const refused = await read('a\0,b\n1,2\n').catch((cause: unknown) => cause as InitError)
    expect(refused).to.include({ code: 'IMPORT_NOT_TEXT' })
    expect(new InitError('X', 'a\0b\ud83d').message).to.equal('a\ufffdb\ufffd')
  })

  it('takes 10,000 columns and not one more', async () => {
    const header = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`).join()
    const found = await read(`${header(10_000)}\n${header(10_000).replaceAll('c', '')}\n`)
    expect([found.columns?.length, found.rows[0]?.issue, found.dialect.columns]).to.deep.equal([10_000, null, 10_000])
    const refusal = await read(`${header(10_001)}\n1`).catch((cause: InitError) => cause)
    expect(refusal).to.be.instanceOf(InitError).with.property('code', 'IMPORT_TOO_MANY_COLUMNS')
  })

  it('finds no rows behind a header that stands alone', async () => {
    expect(await read('a,b\n')).to.deep.include({ columns: ['a', 'b'], rows: [], failure: null })
    expect(await read('a,b')).to.deep.include({ columns: ['a', 'b'], rows: [], failure: null })
  })

  it('goes on after any slice as if it had never stopped', async () => {
    const text = 'ä,b\r\n1,"x\r\ny"\r\n\r\n"é",2\n3\n4,5\n;\n6,"7"\n8,9'
    for (const [bytes, encoding] of [
      [Buffer.from(text), 'utf-8'],
      [Buffer.from(`\ufeff${text}`), 'utf-8'],
      [Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16le'],
      [Buffer.from(text, 'latin1'), 'windows-1252'],
    ] as const) {
      const whole = await read(bytes, 'csv', { size: 1, encoding })
      expect(whole.rows).to.have.length(7)
      for (const [at, from] of whole.places.entries()) {
        const rest = await read(bytes, 'csv', { size: 3, from, encoding })
        expect(rest.rows, `${encoding} after ${at}`).to.deep.equal(whole.rows.slice(at + 1))
        expect(rest.places.at(-1) ?? from).to.deep.equal(whole.places.at(-1))
      }
    }
  })

  it('gives back whatever was written by the book, wherever it is cut into chunks', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '€', '"', ',', '\n', '\r\n', ' ', '😀'), maxLength: 8 })
    const table = fc.array(fc.tuple(fc.constantFrom('x', 'y'), cell, cell), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 0, max: 300_000 }), async (rows, filler) => {
        const text = [['k', 'b', 'c'], ['f', 'x'.repeat(filler), ''], ...rows]
          .map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join())
          .join('\n')
        const found = await read(text)
        expect(found.rows.slice(1).map(({ value }) => value)).to.deep.equal(rows)
      }),
      { numRuns: 40 },
    )
  })
})

describe('Import readers: JSON', () => {
  const values = [{ a: 'x]}"\\', b: [1, { c: null }] }, null, -1.5e3, 'text, [', [], {}]

  it('takes the items of a list one by one, whatever stands between them', async () => {
    for (const text of [JSON.stringify(values), ` ${JSON.stringify(values, null, 2)}\r\n `]) {
      expect((await read(text, 'json')).rows).to.deep.equal(values.map((value, line) => ({ line, value, issue: null })))
    }
    expect(await read(' [ ] ', 'json')).to.deep.include({ rows: [], failure: null })
  })

  it('says where a list is none, after the items before it', async () => {
    for (const [text, items, message] of [
      ['[1, 2', 1, 'The file ends, on line 1, before its list does: it seems to be cut off.'],
      ['[{"a":1},\n{"a":', 1, 'The file ends, on line 2, before its list does: it seems to be cut off.'],
      ['[1,\n2 3]', 2, 'On line 2 the file has “3” where a list of JSON has “,” or “]”.'],
      ['[1,\n{"a" 1}]', 1, 'Item 1, which ends on line 2, is not well-formed JSON from its character 6 on.'],
      ['[1,\n{"a": tru}]', 1, 'Item 1 is not well-formed JSON on line 2 or shortly before.'],
      ['[1,]', 1, 'On line 1 the file has “]” where a list of JSON has an item.'],
      ['[{}\n{}]', 1, 'On line 2 the file has “{” where a list of JSON has “,” or “]”.'],
      ['[1] []', 1, 'On line 1 the file has “[” where a list of JSON has its end.'],
    ] as const) {
      const { rows, failure } = await read(text, 'json')
      expect([rows.length, failure?.code, failure?.message], text).to.deep.equal([items, 'IMPORT_FILE_BROKEN', message])
    }
  })

  it('fails an item alone that no table can hold, or that names a member twice', async () => {
    const found = await read('[{"a":{"b":"\\u0000"}}, {"a":"\\ud800"}, {"a":1,"a":2}, {"n":1e999}, {"a":1}]', 'json')
    expect(found.rows.map(({ issue }) => issue && [issue.path, issue.code])).to.deep.equal([
      ['a.b', 'text'],
      ['a', 'text'],
      ['', 'malformed'],
      ['n', 'not_finite'],
      null,
    ])
    const deep = await read(`[${'['.repeat(100)}${']'.repeat(100)}, 1]`, 'json')
    expect(deep.rows.map(({ issue }) => issue?.code)).to.deep.equal(['too_deep', undefined])
  })

  it('counts rows no further than it has to', async () => {
    const source = async (text: string, format: Dialect['format']) =>
      openSource(inPieces(Buffer.from(text)), detectDialect(Buffer.from(text), { format }, true), null)
    expect(await countRows(await source('[1,2,3]', 'json'), 5)).to.equal(3)
    expect(await countRows(await source('[1,2,3,4,}', 'json'), 2)).to.equal(3)
    expect(await countRows(await source('a\n1\n\n2\n', 'csv'), 2)).to.equal(2)
  })
})
