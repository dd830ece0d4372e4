import type { Archive } from './archive.ts'
import { brokenBook, largeBook } from './faults.ts'
import { lengthened, SharedStrings } from './strings.ts'
import { kindOfFormat, unescaped, type NumberKind } from './values.ts'
import { readWhole } from './xml.ts'

/** A sheet with cells, and the part of the archive that it is in. */
export interface SheetPart { name: string; hidden: boolean; part: string }

/** What the cells of all sheets refer to. */
export interface Book { calendar: 1900 | 1904; sheets: SheetPart[]; styles: readonly NumberKind[]; strings: SharedStrings }

/** What a part lists, by its element. Source of formats: Excel specifications and limits, rounded up. */
const max = { links: 20_000, sheets: 10_000, formats: 100_000 }

/** @throws InitError IMPORT_TOO_LARGE where a list becomes longer than any program writes it */
function push<T>(list: T[], item: T, most: number, what: string): void {
  if (list.length === most) throw largeBook(`The workbook lists more than ${most.toLocaleString('en')} ${what}.`)
  list.push(item)
}

/** Reads everything of a workbook but its cells. @throws InitError IMPORT_WORKBOOK_BROKEN, IMPORT_TOO_LARGE */
export async function readBook(archive: Archive): Promise<Book> {
  const root = (await relations(archive, '')).find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml'
  if (!archive.has(root) || root.endsWith('.bin')) {
    throw brokenBook('The file is no Excel workbook that can be read. Save it as .xlsx or CSV, and send that.')
  }
  const links = await relations(archive, root)
  const { calendar, listed } = await readList(archive, root)
  const sheets = listed.flatMap(({ name, hidden, id }) => {
    const link = links.find((one) => one.id === id)
    return link?.type === 'worksheet' ? [{ name, hidden, part: link.target }] : []
  })
  const part = (type: string) => links.find((one) => one.type === type)?.target
  return {
    calendar, sheets, styles: await readStyles(archive, part('styles')), strings: await readStrings(archive, part('sharedStrings')),
  }
}

interface Link { id: string; type: string; target: string }

/** What a part of the archive leads to. Source: ECMA-376, part 2, section 9.3. */
async function relations(archive: Archive, of: string): Promise<Link[]> {
  const folder = of.slice(0, of.lastIndexOf('/') + 1)
  const name = `${folder}_rels/${of.slice(folder.length)}.rels`
  const links: Link[] = []
  if (!archive.has(name)) return links
  await readWhole(archive.read(name), 'A list of parts', {
    open(element, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) {
      if (element !== 'Relationship' || mode === 'External') return
      const path = URL.parse(target, `file:///${folder}`)?.pathname.slice(1)
      if (path !== undefined) push(links, { id, type: type.slice(type.lastIndexOf('/') + 1), target: decodeURIComponent(path) }, max.links, 'parts')
    },
  })
  return links
}

async function readList(archive: Archive, root: string) {
  let calendar: Book['calendar'] = 1900
  const listed: { name: string; hidden: boolean; id: string }[] = []
  await readWhole(archive.read(root), 'The list of sheets', {
    open(element, { name = '', state = 'visible', id = '', date1904 }) {
      if (element === 'sheet') push(listed, { name: unescaped(name), hidden: state !== 'visible', id }, max.sheets, 'sheets')
      if (element === 'workbookPr' && (date1904 === '1' || date1904 === 'true')) calendar = 1904
    },
  })
  return { calendar: calendar as Book['calendar'], listed }
}

async function readStyles(archive: Archive, part: string | undefined): Promise<NumberKind[]> {
  const codes = new Map<number, string>()
  const kinds: NumberKind[] = []
  if (part === undefined || !archive.has(part)) return kinds
  const within: string[] = []
  await readWhole(archive.read(part), 'The list of formats', {
    open(element, { numFmtId = '0', formatCode = '' }) {
      const above = within.at(-1)
      within.push(element)
      if (element === 'numFmt' && above === 'numFmts') {
        if (codes.size === max.formats) throw largeBook(`The workbook lists more than ${max.formats.toLocaleString('en')} formats.`)
        codes.set(Number(numFmtId), formatCode)
      }
      if (element === 'xf' && above === 'cellXfs') push(kinds, kindOfFormat(Number(numFmtId), codes.get(Number(numFmtId))), max.formats, 'formats')
    },
    close: () => void within.pop(),
  })
  return kinds
}

async function readStrings(archive: Archive, part: string | undefined): Promise<SharedStrings> {
  const strings = new SharedStrings()
  if (part === undefined || !archive.has(part)) return strings
  let text = ''
  const phrase = new Phrase()
  await readWhole(archive.read(part), 'The list of texts', {
    open(element) {
      if (element === 'si') text = ''
      phrase.open(element)
    },
    text(more) {
      if (phrase.counts) text = lengthened(text, more)
    },
    close(element) {
      phrase.close(element)
      if (element === 'si') strings.add(unescaped(text))
    },
  })
  return strings
}

/** Which text within an item counts: that of `t`, but for how words are pronounced. */
export class Phrase {
  #text = false
  #spoken = false
  get counts(): boolean {
    return this.#text && !this.#spoken
  }

  open(element: string): void {
    if (element === 't') this.#text = true
    if (element === 'rPh') this.#spoken = true
  }

  close(element: string): void {
    if (element === 't') this.#text = false
    if (element === 'rPh') this.#spoken = false
  }
}
