import { bookOf, filesOf, number, rowOf, zipOf } from './workbook.maker.ts'

/** One file: its bytes, how it is sent, and what it says by another reading than that of the platform. */
export interface NastyFile {
  what: string
  bytes: Buffer
  type: string
  query?: Record<string, string>
  /** What each of its rows says: its line, its reference and its text. */
  rows: [line: number, ref: string, text: string][]
  /** Lines whose rows cannot be taken: each has to be told. */
  told?: number[]
  /** The code that it is refused with as a whole, after the rows before were stored. */
  refused?: string
  /** Codes of warnings. */
  warned?: string[]
}

export const csv = 'text/csv'
const json = 'application/json'
const ndjson = 'application/x-ndjson'
const excel = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The bytes of a text in an encoding of one byte a character: whatever decodes to that character. */
function inBytes(encoding: string, text: string): Buffer {
  const decoder = new TextDecoder(encoding)
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]))
  return Buffer.from([...text].map((sign) => {
    const byte = bytes.get(sign)
    if (byte === undefined) throw new Error(`${encoding} has no ${sign}`)
    return byte
  }))
}

const bytesOf = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)))

/** Makes references that no other file has. */
export type Ref = (name: string | number) => string

/** Words of the languages that encodings were made for. */
const words: Readonly<Record<string, string>> = {
  'windows-1250': 'Žluťoučký kůň', 'windows-1251': 'Съешь ещё булок', 'windows-1252': 'Été “doré” 12 €', 'windows-1253': 'Ξεσκεπάζω ψυχή',
  'windows-1254': 'Şık çanta ığdır', 'windows-1255': 'דג סקרן', 'windows-1256': 'حقيبة', 'windows-1257': 'Įlinkdama fechtuotojo špaga', 'windows-1258': 'Đăâê ơư',
  'windows-874': 'กระเป๋า', 'iso-8859-2': 'Pchnąć w tę łódź', 'iso-8859-3': 'Ĥoro ĵaŭdo', 'iso-8859-4': 'Ģirts ķēde', 'iso-8859-5': 'Широкая', 'iso-8859-7': 'Ψυχή',
  'iso-8859-9': 'Şık çanta', 'iso-8859-10': 'Þæöð', 'iso-8859-13': 'Špaga ķ', 'iso-8859-14': 'Ŵŷ Ḃ', 'iso-8859-15': 'Cœur 12 € Žš', 'iso-8859-16': 'Țară și ă',
  'koi8-r': 'Широкая', 'koi8-u': 'Їжак ґ', macintosh: 'Été “œuvre” ﬁ', 'x-mac-cyrillic': 'Широкая', ibm866: 'Широкая',
}

/** Encodings that the sender names, by the query or the content type in turns. */
const named = (ref: Ref): NastyFile[] => Object.entries(words).map(([encoding, text], at) => ({
  what: `${encoding}, as the ${at % 2 === 0 ? 'query' : 'content type'} says`,
  bytes: inBytes(encoding, `ref;text\r\n${ref(1)};${text}\r\n${ref(2)};plain\r\n`),
  type: at % 2 === 0 ? csv : `${csv}; charset=${encoding}`,
  ...(at % 2 === 0 && { query: { encoding } }),
  rows: [[2, ref(1), text], [3, ref(2), 'plain']],
}))

/** Encodings of several bytes a character; the bytes stand as tables of the time list them. */
const wide = (ref: Ref): NastyFile[] => ([
  ['shift_jis', [0x83, 0x4a, 0x83, 0x6f, 0x83, 0x93], 'カバン'], ['euc-jp', [0xa5, 0xab, 0xa5, 0xd0, 0xa5, 0xf3], 'カバン'],
  ['gbk', [0xb0, 0xfc, 0xb0, 0xfc], '包包'], ['big5', [0xa5, 0x5d], '包'], ['euc-kr', [0xb0, 0xa1, 0xb9, 0xe6], '가방'], ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x25, 0x2b, 0x1b, 0x28, 0x42], 'カ'],
] as const).map(([encoding, bytes, text]) => ({
  what: encoding, bytes: bytesOf(`ref,text\n${ref(1)},`, [...bytes], '\n'), type: csv, query: { encoding }, rows: [[2, ref(1), text]],
}))

/** Encodings, delimiters and line ends that are found out. */
const found = (ref: Ref): NastyFile[] => ['utf-8', 'utf-8 with a mark', 'utf-16le', 'utf-16be with a mark', 'windows-1252'].flatMap((encoding) =>
  ([[',', '\n'], [';', '\r\n'], ['\t', '\r'], [',', '\r\n']] as const).map(([delimiter, end]): NastyFile => {
    const text = `A "q"${delimiter} Été €`
    const all = ['ref', 'text'].join(delimiter) + end + [1, 2].map((at) => `${ref(at)}${delimiter}"${text.replaceAll('"', '""')} ${at}"`).join(end)
    const marked = encoding.endsWith('mark') ? `\ufeff${all}` : all
    const utf16 = Buffer.from(marked, 'utf16le')
    const bytes = encoding.startsWith('utf-16le') ? utf16 : encoding.startsWith('utf-16be') ? utf16.swap16()
      : encoding.startsWith('utf-8') ? Buffer.from(marked) : inBytes(encoding, marked)
    return {
      what: `${encoding}, divided by ${JSON.stringify(delimiter)}, lines ended by ${JSON.stringify(end)}`, bytes, type: csv,
      rows: [[2, ref(1), `${text} 1`], [3, ref(2), `${text} 2`]], ...(encoding === 'windows-1252' && { warned: ['encoding_guessed'] }),
    }
  }))

/** Texts that careless readers change. */
const texts = ['007', '12345678901234567890', '1e5', '0.1', '1,5', 'TRUE', 'NULL', 'n/a', '=1+1', '-', '+49 30 1234', '2026-01-31', '31.01.26', ' a ', 'a  b', 'a\u00a0b',
  'e\u0301', '\ufb01', '👩‍🚀', 'a\u2028b', 'a\u200bb', '\u202eabc', 'a\ufffdb', 'a\ufeffb', '\\n', 'a\tb', '<b>&amp;', 'Ã©', "O'Neil", '{{x}}', 'a\nb', 'a\r\nb', '"', '""', 'x'.repeat(100_000)]

const kept = (ref: Ref): NastyFile[] => [{
  what: 'texts that careless readers change', type: csv,
  bytes: Buffer.from(`ref,text\n${texts.map((text, at) => `${ref(at)},"${text.replaceAll('"', '""')}"`).join('\n')}\n`),
  rows: texts.map((text, at) => [2 + at + texts.slice(0, at).join('').split('\n').length - 1, ref(at), text]),
}]

const one = (ref: Ref, at: number | string) => `${ref(at)},Été ${at}\n`
const rowsOf = (ref: Ref, ...lines: [line: number, at: number | string][]): NastyFile['rows'] => lines.map(([line, at]) => [line, ref(at), `Été ${at}`])
const many = (ref: Ref, count: number) => Array.from({ length: count }, (_, at) => one(ref, at)).join('')
const manyRows = (ref: Ref, count: number) => rowsOf(ref, ...Array.from({ length: count }, (_, at): [number, number] => [at + 2, at]))

/** Files that are not what they should be. */
const spoiled = (ref: Ref): NastyFile[] => {
  const head = 'ref,text\n'
  const good = rowsOf(ref, [2, 1])
  const file = (what: string, bytes: string | Buffer, more: Partial<NastyFile> = {}): NastyFile =>
    ({ what, bytes: Buffer.from(bytes as string), type: csv, rows: good, ...more })
  const latin = (name: string) => bytesOf(`${ref(name)},caf`, [0xe9], '\n')
  return [
    file('one line of 200 in Windows-1252', Buffer.concat([bytesOf(head, many(ref, 199)), latin('x')]), { rows: manyRows(ref, 199), told: [201] }),
    file('one line of Windows-1252 among two', Buffer.concat([bytesOf(head, one(ref, 1)), latin('x')]), { told: [3] }),
    file('half of its lines in Windows-1252', Buffer.concat([bytesOf(head, one(ref, 1), one(ref, 2)), latin('x'), latin('y')]), { rows: [], refused: 'IMPORT_ENCODING_INVALID' }),
    file('one line in UTF-8 of a file in Windows-1252', Buffer.concat([bytesOf(head), latin('x'), latin('y'), bytesOf(one(ref, 1))]), {
      rows: [[2, ref('x'), 'café'], [3, ref('y'), 'café']], told: [4], warned: ['encoding_guessed'],
    }),
    file('a character that is cut off at the end', bytesOf(head, one(ref, 1), `${ref(2)},caf`, [0xc3]), { told: [3] }),
    file('a surrogate in UTF-8', bytesOf(head, one(ref, 1), `${ref(2)},a`, [0xed, 0xa0, 0x80], '\n'), { told: [3] }),
    file('an overlong slash', bytesOf(head, one(ref, 1), `${ref(2)},a`, [0xc0, 0xaf], '\n'), { told: [3] }),
    file('a lone surrogate in UTF-16', Buffer.from(`\ufeff${head}${one(ref, 1)}${ref(2)},a\ud800b\n`, 'utf16le'), { told: [3] }),
    file('half a character at the end of UTF-16', Buffer.concat([Buffer.from(`\ufeff${head}${one(ref, 1)}${ref(2)},ab`, 'utf16le'), Buffer.of(0x41)]), { told: [3] }),
    file('a mark of UTF-16 where UTF-8 is named', Buffer.from(`\ufeff${head}${one(ref, 1)}`, 'utf16le'), { type: `${csv}; charset=utf-8`, rows: [], refused: 'IMPORT_ENCODING_INVALID' }),
    file('Windows-1252 where UTF-8 is named', Buffer.concat([bytesOf(head), latin(1 + 'x'), latin('y')]), { query: { encoding: 'utf-8' }, rows: [], refused: 'IMPORT_ENCODING_INVALID' }),
    file('UTF-32', Buffer.from([...`${head}${one(ref, 1)}`].flatMap((sign) => [sign.codePointAt(0) ?? 0, 0, 0, 0])), { rows: [], refused: 'IMPORT_' }),
    file('Shift_JIS that nobody names', bytesOf(head, `${ref(1)},`, [0x83, 0x4a, 0x81, 0x5b], '\n'), { rows: [], refused: 'IMPORT_ENCODING_INVALID' }),
    file('a quotation mark that is never closed', `${head}${one(ref, 1)}${ref(2)},"a\n${one(ref, 3)}`, { refused: 'IMPORT_FILE_BROKEN' }),
    file('a quotation mark that swallows three rows', `${head}${one(ref, 1)}${ref(2)},"a\n${one(ref, 3)}${ref(4)},"b"\n${one(ref, 5)}`, { rows: rowsOf(ref, [2, 1], [6, 5]), told: [3] }),
    file('a quotation mark within a text', `${head}${ref(1)},3" pipe\n`, { rows: [[2, ref(1), '3" pipe']] }),
    file('cut off in quotes', `${head}${one(ref, 1)}${ref(2)},"Ét`, { refused: 'IMPORT_FILE_BROKEN' }),
    file('cut off before a delimiter', `${head}${one(ref, 1)}${ref(2)}`, { told: [3] }),
    file('rows that are too short and too long', `${head}${one(ref, 1)}${ref(2)}\n${ref(3)},a,b\n${one(ref, 4)}`, { rows: rowsOf(ref, [2, 1], [5, 4]), told: [3, 4] }),
    file('rows divided by another sign', `${head}${one(ref, 1)}${ref(2)};a\n${one(ref, 3)}`, { rows: rowsOf(ref, [2, 1], [4, 3]), told: [3] }),
    file('a header that stands twice', `${head}${one(ref, 1)}${head}${one(ref, 2)}`, { rows: rowsOf(ref, [2, 1], [4, 2]), told: [3] }),
    file('three kinds of line ends', `ref,text\r\n${ref(1)},Été 1\r${ref(2)},Été 2\n${ref(3)},Été 3`, { rows: rowsOf(ref, [2, 1], [3, 2], [4, 3]) }),
    file('empty lines and lines of blanks', `\n\n${head}\n  \n${one(ref, 1)},,\n \t\n`, { rows: rowsOf(ref, [6, 1]), told: [] }),
    file('a hint of the delimiter', `sep=;\nref;text\n${ref(1)};Été 1\n`, { rows: rowsOf(ref, [3, 1]) }),
    file('cells past the header that are empty', `${head}${ref(1)},Été 1,,,\n`),
    file('NUL in a cell', `${head}${one(ref, 1)}${ref(2)},a\0b\n`, { told: [3] }),
    file('columns of the same name', `ref,text,text\n${ref(1)},a,b\n`, { rows: [], refused: 'IMPORT_COLUMN_TWICE' }),
    file('another name for a column', `ref,Text \n${ref(1)},Été 1\n`),
    file('no header', one(ref, 1), { rows: [], refused: 'IMPORT_COLUMNS_MISSING' }),
    file('nothing but blanks', ' \n \n', { rows: [], refused: 'IMPORT_BODY_MISSING' }),
    file('a workbook that is called CSV', bookOf([{ name: 'A', rows: '' }]), { rows: [], refused: 'INVALID_REQUEST' }),
    file('another delimiter than is named', `${head}${one(ref, 1)}`, { query: { delimiter: ';' }, rows: [], refused: 'IMPORT_COLUMNS_MISSING' }),
    file('a delimiter that only the query knows', `ref~text\n${ref(1)}~Été 1\n`, { query: { delimiter: '~' } }),
    file('the same row twice', `${head}${one(ref, 1)}${one(ref, 1)}`, { query: { onDuplicate: 'fail' }, told: [3] }),
    file('all rows or none, and one is bad', `${head}${one(ref, 1)}${ref(2)}\n`, { query: { atomic: 'true' }, rows: [], told: [3], refused: 'IMPORT_ROWS_FAILED' }),
  ]
}

/** The body of a passport whose text is written as JSON. */
const item = (ref: string, text: string, more = '') =>
  `{"reference":"${ref}","product":{"name":"Bag","idGranularity":"item","itemNumber":"${ref}"},"data":{"text":${text}}${more}}`

const lists = (ref: Ref): NastyFile[] => {
  const good = item(ref(1), '"Été"')
  const rows: NastyFile['rows'] = [[0, ref(1), 'Été']]
  const list = (what: string, bytes: string | Buffer, more: Partial<NastyFile> = {}): NastyFile => ({ what: `JSON with ${what}`, bytes: Buffer.from(bytes as string), type: json, rows, ...more })
  return [
    list('a number that a double changes', `[${good},${item(ref(2), '12345678901234567890')}]`, { told: [1] }),
    list('a decimal that a double changes', `[${good},${item(ref(2), '0.1234567890123456789')}]`, { told: [1] }),
    list('a number past the range', `[${good},${item(ref(2), '1e400')}]`, { told: [1] }),
    list('a member that stands twice', `[${good},${item(ref(2), '1', ',"data":{}')}]`, { told: [1] }),
    list('NUL behind an escape', `[${good},${item(ref(2), String.raw`"a\u0000"`)}]`, { told: [1] }),
    list('half a pair of surrogates', `[${good},${item(ref(2), String.raw`"\ud800"`)}]`, { told: [1] }),
    list('bytes that are no UTF-8', Buffer.concat([Buffer.from(`[${good},`), Buffer.from(item(ref(2), '"caf\xe9"'), 'latin1'), Buffer.from(']')]), { told: [1] }),
    list('a mark', `\ufeff[${good}]`),
    list('an end that is missing', `[${good},${item(ref(2), '"a"')}`.slice(0, -4), { refused: 'IMPORT_FILE_BROKEN' }),
    list('a comma too many', `[${good},]`, { refused: 'IMPORT_FILE_BROKEN' }),
    list('NaN', `[${good},${item(ref(2), 'NaN')}]`, { refused: 'IMPORT_FILE_BROKEN' }),
    list('something behind its end', `[${good}] [${item(ref(2), '"a"')}]`, { refused: 'IMPORT_FILE_BROKEN' }),
    list('a text instead of an item', `[${good},"a",${item(ref(2), '"b"')}]`, { rows: [...rows, [2, ref(2), 'b']], told: [1] }),
    list('UTF-16', Buffer.from(`\ufeff[${good}]`, 'utf16le'), { rows: [], refused: 'IMPORT_ENCODING_INVALID' }),
    list('one object', good, { rows: [], refused: 'VALIDATION_FAILED' }),
    { what: 'NDJSON with a line that is none', bytes: Buffer.from(`${good}\n{"a":\n\n${item(ref(2), '"b"')}\n`), type: ndjson, rows: [[1, ref(1), 'Été'], [4, ref(2), 'b']], told: [2] },
    { what: 'NDJSON that breaks off', bytes: Buffer.from(`${good}\n${item(ref(2), '"b"').slice(0, -5)}`), type: ndjson, rows: [[1, ref(1), 'Été']], told: [2] },
  ]
}

const books = (ref: Ref): NastyFile[] => {
  const head = rowOf(1, ['ref', 'text'])
  const good = rowOf(2, [ref(1), 'Été & <b>'])
  const rows: NastyFile['rows'] = [[2, ref(1), 'Été & <b>']]
  const book = (what: string, more: string, rest: Partial<NastyFile> = {}, options: object = {}): NastyFile =>
    ({ what: `Excel with ${what}`, bytes: bookOf([{ name: 'A', rows: head + good + more }], options), type: excel, rows, ...rest })
  const whole = bookOf([{ name: 'A', rows: head + good }])
  const files = filesOf([{ name: 'A', rows: head + good }])
  return [
    book('gaps between rows', rowOf(7, [ref(7), 'x']), { rows: [...rows, [7, ref(7), 'x']] }),
    book('long numbers', rowOf(3, [ref(3), number('4006381333931')]) + rowOf(4, [ref(4), number('0.30000000000000004')]), {
      rows: [...rows, [3, ref(3), '4006381333931'], [4, ref(4), '0.30000000000000004']],
    }),
    book('days and times', rowOf(3, [ref(3), number('46000', 1)]) + rowOf(4, [ref(4), number('46000.75', 2)]), { rows: [...rows, [3, ref(3), '2025-12-09'], [4, ref(4), '2025-12-09T18:00:00']] }),
    book('a day that never was', rowOf(3, [ref(3), number('60', 1)]), { told: [3] }),
    book('leading zeros by format', rowOf(3, [ref(3), number('42', 5)]), { rows: [...rows, [3, ref(3), '0000000000042']] }),
    book('an error in a cell', rowOf(3, [ref(3), { type: 'e', xml: '<v>#N/A</v>' }]), { told: [3] }),
    book('a formula without its result', rowOf(3, [ref(3), { type: 'n', xml: '<f>A1</f>' }]), { told: [3] }),
    book('a row that is too long', rowOf(3, [ref(3), 'a', 'b']), { told: [3] }),
    book('text in character data', rowOf(3, [ref(3), { xml: '<is><t>a<![CDATA[<b>]]>c</t></is>' }]), { rows: [...rows, [3, ref(3), 'a<b>c']] }),
    { what: 'Excel that is cut off', bytes: whole.subarray(0, -30), type: excel, rows: [], refused: 'INVALID_REQUEST' },
    { what: 'Excel with a sheet that breaks off', bytes: zipOf({ ...files, 'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${head}${good}` }), type: excel, rows: [], refused: 'INVALID_REQUEST' },
    { what: 'Excel that is CSV', bytes: Buffer.from(`ref,text\n${ref(1)},a\n`), type: excel, rows: [], refused: 'INVALID_REQUEST' },
    { what: 'Excel with two sheets', bytes: bookOf([{ name: 'A', rows: head + good }, { name: 'B', rows: head }]), type: excel, rows, warned: ['sheets_unread'] },
    { what: 'Excel of the sheet that is named', bytes: bookOf([{ name: 'A', rows: head }, { name: 'B', rows: head + good }]), type: excel, query: { sheet: 'B' }, rows, warned: ['sheets_unread'] },
  ]
}

/** Every file. @param refs makes references for one file, by its place */
export const nastyFiles = (refs: (file: string) => Ref): NastyFile[] =>
  [named, wide, found, kept, spoiled, lists, books].flatMap((make, group) => {
    // Made once to know how many there are, so that each file has references of its own.
    const count = make(() => '').length
    return Array.from({ length: count }, (_, at) => make(refs(`${group}-${at}`))[at] as NastyFile)
  })
