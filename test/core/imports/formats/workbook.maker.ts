import { crc32, deflateRawSync } from 'node:zlib'

/** A file that is packed already: by deflate, with the length that the list tells. Its checksum is wrong. */
export interface PackedFile {
  packed: Buffer
  bytes: number
}

/** Files by their names, packed as ZIP. `lie`: the length that the list tells of each. */
export function createZip(
  files: Readonly<Record<string, string | Buffer | PackedFile>>,
  { lie }: { lie?: number } = {},
): Buffer {
  const parts: Buffer[] = []
  const list: Buffer[] = []
  let offset = 0
  for (const [path, content] of Object.entries(files)) {
    const name = Buffer.from(path)
    const data = isPacked(content) ? Buffer.alloc(0) : Buffer.from(content as string)
    const { packed, bytes } = isPacked(content) ? content : { packed: deflateRawSync(data), bytes: data.length }
    const facts = Buffer.alloc(22)
    facts.writeUInt16LE(0x0800, 0)
    facts.writeUInt16LE(8, 2)
    facts.writeUInt32LE(crc32(data), 8)
    facts.writeUInt32LE(packed.length, 12)
    facts.writeUInt32LE(lie ?? bytes, 16)
    facts.writeUInt16LE(name.length, 20)
    const head = Buffer.concat([Buffer.from('504b03041400', 'hex'), facts, Buffer.alloc(2), name])
    const place = Buffer.alloc(16)
    place.writeUInt32LE(offset, 12)
    list.push(Buffer.from('504b010214001400', 'hex'), facts, place, name)
    parts.push(head, packed)
    offset += head.length + packed.length
  }
  const directory = Buffer.concat(list)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, directory, end])
}

const isPacked = (content: string | Buffer | PackedFile): content is PackedFile =>
  typeof content === 'object' && 'packed' in content

export const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** A sheet as the XML of its rows; `hidden` is not shown by programs. */
export interface WorkbookSheet {
  name: string
  rows: string
  hidden?: boolean
  after?: string
}

const type = (name: string) => `http://schemas.openxmlformats.org/officeDocument/2006/relationships/${name}`

/**
 * The files of a workbook. Formats of cells, by `s`: 0 general, 1 a day, 2 a day with time, 3 a time, 4 hours past 24,
 * 5 thirteen digits, 6 money with a text that has letters of dates.
 */
export function createWorkbookFiles(
  sheets: readonly WorkbookSheet[],
  {
    strings = [],
    calendar = '',
    prefix = '',
  }: { strings?: readonly string[]; calendar?: string; prefix?: string } = {},
): Record<string, string> {
  const p = prefix
  const link = (id: string, name: string, target: string) =>
    `<Relationship Id="${id}" Type="${type(name)}" Target="${target}"/>`
  const links = (all: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all}</Relationships>`
  return {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': links(link('r1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml':
      `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><${p}workbook xmlns:r="${type('')}">${calendar}<${p}sheets>`
      + sheets
        .map(
          ({ name, hidden }, at) =>
            `<${p}sheet name="${escapeXml(name)}" sheetId="${at + 1}"${hidden ? ' state="hidden"' : ''} r:id="s${at}"/>`,
        )
        .join('')
      + `</${p}sheets></${p}workbook>`,
    'xl/_rels/workbook.xml.rels': links(
      sheets.map((_, at) => link(`s${at}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)).join('')
        + link('t', 'styles', 'styles.xml')
        + link('u', 'sharedStrings', '/xl/sharedStrings.xml'),
    ),
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\\/mm\\/yyyy\\ hh:mm"/><numFmt numFmtId="165" formatCode="0000000000000"/>'
      + '<numFmt numFmtId="166" formatCode="[Red]#,##0.00\\ &quot;dollars/day&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>'
      + '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="20"/><xf numFmtId="46"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs></styleSheet>',
    'xl/sharedStrings.xml': `<sst>${strings.map((one) => `<si>${one}</si>`).join('')}</sst>`,
    ...Object.fromEntries(
      sheets.map(({ rows, after = '' }, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `<?xml version="1.0"?><${p}worksheet><${p}sheetData>${rows}</${p}sheetData>${after}</${p}worksheet>`,
      ]),
    ),
  }
}

/** A workbook of one sheet or several. */
export const createWorkbook = (
  sheets: readonly WorkbookSheet[],
  options: Parameters<typeof createWorkbookFiles>[1] = {},
): Buffer => createZip(createWorkbookFiles(sheets, options))

const letters = (at: number): string =>
  (at < 26 ? '' : letters(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26))

/** A cell of a row as XML: text unless it is XML already. */
export type WorkbookCell = string | { type?: string; style?: number; xml: string } | null

/** A row as XML. */
export const createRow = (row: number, cells: readonly WorkbookCell[]): string =>
  `<row r="${row}">${cells
    .map((cell, at) => {
      if (cell === null) return ''
      const {
        type: of = 'inlineStr',
        style = 0,
        xml,
      } = typeof cell === 'string' ? { xml: `<is><t xml:space="preserve">${escapeXml(cell)}</t></is>` } : cell
      return `<c r="${letters(at)}${row}" s="${style}" t="${of}">${xml}</c>`
    })
    .join('')}</row>`

export const createNumberCell = (value: string, style = 0): WorkbookCell => ({
  type: 'n',
  style,
  xml: `<v>${value}</v>`,
})
export const createSharedCell = (at: number): WorkbookCell => ({ type: 's', xml: `<v>${at}</v>` })
