import type { Archive } from './archive.ts'
import { createBrokenWorkbookError, createLargeWorkbookError } from './errors.ts'
import { appendText, SharedStrings } from './strings.ts'
import { getNumberKind, decodeEscapes, type NumberKind } from './values.ts'
import { readWholeXml } from './xml.ts'

/** A sheet with cells, and the name of the archive's part that holds it. */
export interface SheetPart {
  name: string
  hidden: boolean
  part: string
}

/** The parts that the cells of all sheets refer to. */
export interface WorkbookParts {
  calendar: 1900 | 1904
  sheets: SheetPart[]
  styles: readonly NumberKind[]
  strings: SharedStrings
}

/** The maximum number of items that a part lists. Source of `formats`: Excel specifications and limits, rounded up. */
const partLimits = { links: 20_000, sheets: 10_000, formats: 100_000 }

/** @throws InitError IMPORT_TOO_LARGE if the list becomes longer than any program writes it */
function pushLimited<T>(list: T[], item: T, maxItems: number, what: string): void {
  if (list.length === maxItems)
    throw createLargeWorkbookError(`The workbook lists more than ${maxItems.toLocaleString('en')} ${what}.`)
  list.push(item)
}

/** Reads everything in a workbook except its cells. @throws InitError IMPORT_WORKBOOK_BROKEN, IMPORT_TOO_LARGE */
export async function readWorkbookParts(archive: Archive): Promise<WorkbookParts> {
  const root =
    (await readRelations(archive, '')).find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml'
  if (!archive.has(root) || root.endsWith('.bin')) {
    throw createBrokenWorkbookError(
      'The file is no Excel workbook that can be read. Save it as .xlsx or CSV, and send that.',
    )
  }
  const links = await readRelations(archive, root)
  const { calendar, listed } = await readSheetList(archive, root)
  const sheets = listed.flatMap(({ name, hidden, id }) => {
    const link = links.find((one) => one.id === id)
    return link?.type === 'worksheet' ? [{ name, hidden, part: link.target }] : []
  })
  const part = (type: string) => links.find((one) => one.type === type)?.target
  return {
    calendar,
    sheets,
    styles: await readStyles(archive, part('styles')),
    strings: await readStrings(archive, part('sharedStrings')),
  }
}

interface PartLink {
  id: string
  type: string
  target: string
}

/** Reads the links from a part of the archive to other parts. Source: ECMA-376, part 2, section 9.3. */
async function readRelations(archive: Archive, partName: string): Promise<PartLink[]> {
  const folder = partName.slice(0, partName.lastIndexOf('/') + 1)
  const name = `${folder}_rels/${partName.slice(folder.length)}.rels`
  const links: PartLink[] = []
  if (!archive.has(name)) return links
  await readWholeXml(archive.read(name), 'A list of parts', {
    open(element, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) {
      if (element !== 'Relationship' || mode === 'External') return
      const path = URL.parse(target, `file:///${folder}`)?.pathname.slice(1)
      if (path !== undefined)
        pushLimited(
          links,
          { id, type: type.slice(type.lastIndexOf('/') + 1), target: decodeURIComponent(path) },
          partLimits.links,
          'parts',
        )
    },
  })
  return links
}

async function readSheetList(archive: Archive, root: string) {
  let calendar: WorkbookParts['calendar'] = 1900
  const listed: { name: string; hidden: boolean; id: string }[] = []
  await readWholeXml(archive.read(root), 'The list of sheets', {
    open(element, { name = '', state = 'visible', id = '', date1904 }) {
      if (element === 'sheet')
        pushLimited(listed, { name: decodeEscapes(name), hidden: state !== 'visible', id }, partLimits.sheets, 'sheets')
      if (element === 'workbookPr' && (date1904 === '1' || date1904 === 'true')) calendar = 1904
    },
  })
  return { calendar: calendar as WorkbookParts['calendar'], listed }
}

async function readStyles(archive: Archive, part: string | undefined): Promise<NumberKind[]> {
  const codes = new Map<number, string>()
  const kinds: NumberKind[] = []
  if (part === undefined || !archive.has(part)) return kinds
  const openElements: string[] = []
  await readWholeXml(archive.read(part), 'The list of formats', {
    open(element, { numFmtId = '0', formatCode = '' }) {
      const above = openElements.at(-1)
      openElements.push(element)
      if (element === 'numFmt' && above === 'numFmts') {
        if (codes.size === partLimits.formats)
          throw createLargeWorkbookError(
            `The workbook lists more than ${partLimits.formats.toLocaleString('en')} formats.`,
          )
        codes.set(Number(numFmtId), formatCode)
      }
      if (element === 'xf' && above === 'cellXfs')
        pushLimited(kinds, getNumberKind(Number(numFmtId), codes.get(Number(numFmtId))), partLimits.formats, 'formats')
    },
    close: () => void openElements.pop(),
  })
  return kinds
}

async function readStrings(archive: Archive, part: string | undefined): Promise<SharedStrings> {
  const strings = new SharedStrings()
  if (part === undefined || !archive.has(part)) return strings
  let text = ''
  const phrase = new PhraseTracker()
  await readWholeXml(archive.read(part), 'The list of texts', {
    open(element) {
      if (element === 'si') text = ''
      phrase.open(element)
    },
    text(more) {
      if (phrase.counts) text = appendText(text, more)
    },
    close(element) {
      phrase.close(element)
      if (element === 'si') strings.add(decodeEscapes(text))
    },
  })
  return strings
}

/** A tracker of which text inside an item counts: the text of `t`, except text that shows how words are pronounced. */
export class PhraseTracker {
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
