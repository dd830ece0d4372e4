import { bytesOf, csv, found, kept, named, wide, type NastyFile, type Ref } from './hostile-encodings.ts'
import { createWorkbook, createWorkbookFiles, createNumberCell, createRow, createZip } from './workbook.maker.ts'

const json = 'application/json'
const ndjson = 'application/x-ndjson'
const excel = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const one = (ref: Ref, at: number | string) => `${ref(at)},Été ${at}\n`
const rowsOf = (ref: Ref, ...lines: [line: number, at: number | string][]): NastyFile['rows'] =>
  lines.map(([line, at]) => [line, ref(at), `Été ${at}`])
const many = (ref: Ref, count: number) => Array.from({ length: count }, (_, at) => one(ref, at)).join('')
const manyRows = (ref: Ref, count: number) =>
  rowsOf(ref, ...Array.from({ length: count }, (_, at): [number, number] => [at + 2, at]))

/** Files that are not what they should be. */
const spoiled = (ref: Ref): NastyFile[] => {
  const head = 'ref,text\n'
  const good = rowsOf(ref, [2, 1])
  const file = (what: string, bytes: string | Buffer, more: Partial<NastyFile> = {}): NastyFile => ({
    what,
    bytes: Buffer.from(bytes as string),
    type: csv,
    rows: good,
    ...more,
  })
  const latin = (name: string) => bytesOf(`${ref(name)},caf`, [0xe9], '\n')
  return [
    file('one line of 200 in Windows-1252', Buffer.concat([bytesOf(head, many(ref, 199)), latin('x')]), {
      rows: manyRows(ref, 199),
      errorLines: [201],
    }),
    file('one line of Windows-1252 among two', Buffer.concat([bytesOf(head, one(ref, 1)), latin('x')]), {
      errorLines: [3],
    }),
    file(
      'half of its lines in Windows-1252',
      Buffer.concat([bytesOf(head, one(ref, 1), one(ref, 2)), latin('x'), latin('y')]),
      { rows: [], refused: 'IMPORT_ENCODING_INVALID' },
    ),
    file(
      'one line in UTF-8 of a file in Windows-1252',
      Buffer.concat([bytesOf(head), latin('x'), latin('y'), bytesOf(one(ref, 1))]),
      {
        rows: [
          [2, ref('x'), 'café'],
          [3, ref('y'), 'café'],
        ],
        errorLines: [4],
        warned: ['encoding_guessed'],
      },
    ),
    file('a character that is cut off at the end', bytesOf(head, one(ref, 1), `${ref(2)},caf`, [0xc3]), {
      errorLines: [3],
    }),
    file('a surrogate in UTF-8', bytesOf(head, one(ref, 1), `${ref(2)},a`, [0xed, 0xa0, 0x80], '\n'), {
      errorLines: [3],
    }),
    file('an overlong slash', bytesOf(head, one(ref, 1), `${ref(2)},a`, [0xc0, 0xaf], '\n'), { errorLines: [3] }),
    file('a lone surrogate in UTF-16', Buffer.from(`\ufeff${head}${one(ref, 1)}${ref(2)},a\ud800b\n`, 'utf16le'), {
      errorLines: [3],
    }),
    file(
      'half a character at the end of UTF-16',
      Buffer.concat([Buffer.from(`\ufeff${head}${one(ref, 1)}${ref(2)},ab`, 'utf16le'), Buffer.of(0x41)]),
      { errorLines: [3] },
    ),
    file('a mark of UTF-16 where UTF-8 is named', Buffer.from(`\ufeff${head}${one(ref, 1)}`, 'utf16le'), {
      type: `${csv}; charset=utf-8`,
      rows: [],
      refused: 'IMPORT_ENCODING_INVALID',
    }),
    file('Windows-1252 where UTF-8 is named', Buffer.concat([bytesOf(head), latin(1 + 'x'), latin('y')]), {
      query: { encoding: 'utf-8' },
      rows: [],
      refused: 'IMPORT_ENCODING_INVALID',
    }),
    file('UTF-32', Buffer.from([...`${head}${one(ref, 1)}`].flatMap((sign) => [sign.codePointAt(0) ?? 0, 0, 0, 0])), {
      rows: [],
      refused: 'IMPORT_',
    }),
    file('Shift_JIS that nobody names', bytesOf(head, `${ref(1)},`, [0x83, 0x4a, 0x81, 0x5b], '\n'), {
      rows: [],
      refused: 'IMPORT_ENCODING_INVALID',
    }),
    file('a quotation mark that is never closed', `${head}${one(ref, 1)}${ref(2)},"a\n${one(ref, 3)}`, {
      refused: 'IMPORT_FILE_BROKEN',
    }),
    file(
      'a quotation mark that swallows three rows',
      `${head}${one(ref, 1)}${ref(2)},"a\n${one(ref, 3)}${ref(4)},"b"\n${one(ref, 5)}`,
      { rows: rowsOf(ref, [2, 1], [6, 5]), errorLines: [3] },
    ),
    file('a quotation mark within a text', `${head}${ref(1)},3" pipe\n`, { rows: [[2, ref(1), '3" pipe']] }),
    file('cut off in quotes', `${head}${one(ref, 1)}${ref(2)},"Ét`, { refused: 'IMPORT_FILE_BROKEN' }),
    file('cut off before a delimiter', `${head}${one(ref, 1)}${ref(2)}`, { errorLines: [3] }),
    file('rows that are too short and too long', `${head}${one(ref, 1)}${ref(2)}\n${ref(3)},a,b\n${one(ref, 4)}`, {
      rows: rowsOf(ref, [2, 1], [5, 4]),
      errorLines: [3, 4],
    }),
    file('rows divided by another sign', `${head}${one(ref, 1)}${ref(2)};a\n${one(ref, 3)}`, {
      rows: rowsOf(ref, [2, 1], [4, 3]),
      errorLines: [3],
    }),
    file('a header that stands twice', `${head}${one(ref, 1)}${head}${one(ref, 2)}`, {
      rows: rowsOf(ref, [2, 1], [4, 2]),
      errorLines: [3],
    }),
    file('three kinds of line ends', `ref,text\r\n${ref(1)},Été 1\r${ref(2)},Été 2\n${ref(3)},Été 3`, {
      rows: rowsOf(ref, [2, 1], [3, 2], [4, 3]),
    }),
    file('empty lines and lines of blanks', `\n\n${head}\n  \n${one(ref, 1)},,\n \t\n`, {
      rows: rowsOf(ref, [6, 1]),
      errorLines: [],
    }),
    file('a hint of the delimiter', `sep=;\nref;text\n${ref(1)};Été 1\n`, { rows: rowsOf(ref, [3, 1]) }),
    file('cells past the header that are empty', `${head}${ref(1)},Été 1,,,\n`),
    file('NUL in a cell', `${head}${one(ref, 1)}${ref(2)},a\0b\n`, { errorLines: [3] }),
    file('columns of the same name', `ref,text,text\n${ref(1)},a,b\n`, { rows: [], refused: 'IMPORT_COLUMN_TWICE' }),
    file('another name for a column', `ref,Text \n${ref(1)},Été 1\n`),
    file('no header', one(ref, 1), { rows: [], refused: 'IMPORT_COLUMNS_MISSING' }),
    file('nothing but blanks', ' \n \n', { rows: [], refused: 'IMPORT_BODY_MISSING' }),
    file('a workbook that is called CSV', createWorkbook([{ name: 'A', rows: '' }]), {
      rows: [],
      refused: 'INVALID_REQUEST',
    }),
    file('another delimiter than is named', `${head}${one(ref, 1)}`, {
      query: { delimiter: ';' },
      rows: [],
      refused: 'IMPORT_COLUMNS_MISSING',
    }),
    file('a delimiter that only the query knows', `ref~text\n${ref(1)}~Été 1\n`, { query: { delimiter: '~' } }),
    file('the same row twice', `${head}${one(ref, 1)}${one(ref, 1)}`, {
      query: { onDuplicate: 'fail' },
      errorLines: [3],
    }),
    file('all rows or none, and one is bad', `${head}${one(ref, 1)}${ref(2)}\n`, {
      query: { atomic: 'true' },
      rows: [],
      errorLines: [3],
      refused: 'IMPORT_ROWS_FAILED',
    }),
  ]
}

/** The body of a passport whose text is written as JSON. */
const item = (ref: string, text: string, more = '') =>
  `{"reference":"${ref}","product":{"name":"Bag","idGranularity":"item","itemNumber":"${ref}"},"data":{"text":${text}}${more}}`

const lists = (ref: Ref): NastyFile[] => {
  const good = item(ref(1), '"Été"')
  const rows: NastyFile['rows'] = [[0, ref(1), 'Été']]
  const list = (what: string, bytes: string | Buffer, more: Partial<NastyFile> = {}): NastyFile => ({
    what: `JSON with ${what}`,
    bytes: Buffer.from(bytes as string),
    type: json,
    rows,
    ...more,
  })
  return [
    list('a number that a double changes', `[${good},${item(ref(2), '12345678901234567890')}]`, { errorLines: [1] }),
    list('a decimal that a double changes', `[${good},${item(ref(2), '0.1234567890123456789')}]`, { errorLines: [1] }),
    list('a number past the range', `[${good},${item(ref(2), '1e400')}]`, { errorLines: [1] }),
    list('a member that stands twice', `[${good},${item(ref(2), '1', ',"data":{}')}]`, { errorLines: [1] }),
    list('NUL behind an escape', `[${good},${item(ref(2), String.raw`"a\u0000"`)}]`, { errorLines: [1] }),
    list('half a pair of surrogates', `[${good},${item(ref(2), String.raw`"\ud800"`)}]`, { errorLines: [1] }),
    list(
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from(`[${good},`), Buffer.from(item(ref(2), '"caf\xe9"'), 'latin1'), Buffer.from(']')]),
      { errorLines: [1] },
    ),
    list('a mark', `\ufeff[${good}]`),
    list('an end that is missing', `[${good},${item(ref(2), '"a"')}`.slice(0, -4), { refused: 'IMPORT_FILE_BROKEN' }),
    list('a comma too many', `[${good},]`, { refused: 'IMPORT_FILE_BROKEN' }),
    list('NaN', `[${good},${item(ref(2), 'NaN')}]`, { refused: 'IMPORT_FILE_BROKEN' }),
    list('something behind its end', `[${good}] [${item(ref(2), '"a"')}]`, { refused: 'IMPORT_FILE_BROKEN' }),
    list('a text instead of an item', `[${good},"a",${item(ref(2), '"b"')}]`, {
      rows: [...rows, [2, ref(2), 'b']],
      errorLines: [1],
    }),
    list('UTF-16', Buffer.from(`\ufeff[${good}]`, 'utf16le'), { rows: [], refused: 'IMPORT_ENCODING_INVALID' }),
    list('one object', good, { rows: [], refused: 'VALIDATION_FAILED' }),
    {
      what: 'NDJSON with a line that is none',
      bytes: Buffer.from(`${good}\n{"a":\n\n${item(ref(2), '"b"')}\n`),
      type: ndjson,
      rows: [
        [1, ref(1), 'Été'],
        [4, ref(2), 'b'],
      ],
      errorLines: [2],
    },
    {
      what: 'NDJSON that breaks off',
      bytes: Buffer.from(`${good}\n${item(ref(2), '"b"').slice(0, -5)}`),
      type: ndjson,
      rows: [[1, ref(1), 'Été']],
      errorLines: [2],
    },
  ]
}

const books = (ref: Ref): NastyFile[] => {
  const head = createRow(1, ['ref', 'text'])
  const good = createRow(2, [ref(1), 'Été & <b>'])
  const rows: NastyFile['rows'] = [[2, ref(1), 'Été & <b>']]
  const book = (what: string, more: string, rest: Partial<NastyFile> = {}, options: object = {}): NastyFile => ({
    what: `Excel with ${what}`,
    bytes: createWorkbook([{ name: 'A', rows: head + good + more }], options),
    type: excel,
    rows,
    ...rest,
  })
  const whole = createWorkbook([{ name: 'A', rows: head + good }])
  const files = createWorkbookFiles([{ name: 'A', rows: head + good }])
  return [
    book('gaps between rows', createRow(7, [ref(7), 'x']), { rows: [...rows, [7, ref(7), 'x']] }),
    book(
      'long numbers',
      createRow(3, [ref(3), createNumberCell('4006381333931')])
        + createRow(4, [ref(4), createNumberCell('0.30000000000000004')]),
      {
        rows: [...rows, [3, ref(3), '4006381333931'], [4, ref(4), '0.30000000000000004']],
      },
    ),
    book(
      'days and times',
      createRow(3, [ref(3), createNumberCell('46000', 1)]) + createRow(4, [ref(4), createNumberCell('46000.75', 2)]),
      {
        rows: [...rows, [3, ref(3), '2025-12-09'], [4, ref(4), '2025-12-09T18:00:00']],
      },
    ),
    book('a day that never was', createRow(3, [ref(3), createNumberCell('60', 1)]), { errorLines: [3] }),
    book('leading zeros by format', createRow(3, [ref(3), createNumberCell('42', 5)]), {
      rows: [...rows, [3, ref(3), '0000000000042']],
    }),
    book('an error in a cell', createRow(3, [ref(3), { type: 'e', xml: '<v>#N/A</v>' }]), { errorLines: [3] }),
    book('a formula without its result', createRow(3, [ref(3), { type: 'n', xml: '<f>A1</f>' }]), { errorLines: [3] }),
    book('a row that is too long', createRow(3, [ref(3), 'a', 'b']), { errorLines: [3] }),
    book('text in character data', createRow(3, [ref(3), { xml: '<is><t>a<![CDATA[<b>]]>c</t></is>' }]), {
      rows: [...rows, [3, ref(3), 'a<b>c']],
    }),
    { what: 'Excel that is cut off', bytes: whole.subarray(0, -30), type: excel, rows: [], refused: 'INVALID_REQUEST' },
    {
      what: 'Excel with a sheet that breaks off',
      bytes: createZip({ ...files, 'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${head}${good}` }),
      type: excel,
      rows: [],
      refused: 'INVALID_REQUEST',
    },
    {
      what: 'Excel that is CSV',
      bytes: Buffer.from(`ref,text\n${ref(1)},a\n`),
      type: excel,
      rows: [],
      refused: 'INVALID_REQUEST',
    },
    {
      what: 'Excel with two sheets',
      bytes: createWorkbook([
        { name: 'A', rows: head + good },
        { name: 'B', rows: head },
      ]),
      type: excel,
      rows,
      warned: ['sheets_unread'],
    },
    {
      what: 'Excel of the sheet that is named',
      bytes: createWorkbook([
        { name: 'A', rows: head },
        { name: 'B', rows: head + good },
      ]),
      type: excel,
      query: { sheet: 'B' },
      rows,
      warned: ['sheets_unread'],
    },
  ]
}

/** Every file. @param refs makes references for one file, by its place */
export const createNastyFiles = (refs: (file: string) => Ref): NastyFile[] =>
  [named, wide, found, kept, spoiled, lists, books].flatMap((make, group) => {
    // Made once to know how many there are, so that each file has references of its own.
    const count = make(() => '').length
    return Array.from({ length: count }, (_, at) => make(refs(`${group}-${at}`))[at] as NastyFile)
  })
