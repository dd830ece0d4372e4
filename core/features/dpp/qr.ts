import encodeQR from 'qr'
import { encode } from 'fast-png'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import { notFound, problem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { digitalLinkOf, gtinOf } from './gs1.ts'
import { isGtinOfAnother } from './gtins/owners.ts'
import { PassportRow } from './passports.model.ts'

/** Light modules around the code. Source: ISO/IEC 18004, section 6.3.8. */
const quietZone = 4

/** Rows of modules, dark ones true, quiet zone included. Error correction M. */
function modulesOf(text: string): boolean[][] {
  return encodeQR(text, 'raw', { ecc: 'medium', border: quietZone })
}

/** Whole pixels a module, and the light pixels left over before the first one. */
function placed(modules: number, size: number): { width: number; scale: number; offset: number } {
  const width = Math.max(size, modules)
  const scale = Math.floor(width / modules)
  return { width, scale, offset: Math.floor((width - modules * scale) / 2) }
}

/**
 * A QR code as a PNG of one bit a pixel.
 * @param size width and height in pixels; more where a module would get less than one
 */
export function qrPng(text: string, size: number): Uint8Array {
  const modules = modulesOf(text)
  const { width, scale, offset } = placed(modules.length, size)
  const stride = Math.ceil(width / 8)
  const data = new Uint8Array(stride * width).fill(0xff)
  for (const [y, row] of modules.entries()) {
    const line = lineOf(row, stride, scale, offset)
    for (let copy = 0; copy < scale; copy++) data.set(line, (offset + y * scale + copy) * stride)
  }
  return encode({ width, height: width, depth: 1, channels: 1, data })
}

/** One line of pixels: a dark module clears its bits. */
function lineOf(row: readonly boolean[], stride: number, scale: number, offset: number): Uint8Array {
  const line = new Uint8Array(stride).fill(0xff)
  for (const [x, dark] of row.entries()) {
    if (!dark) continue
    for (let pixel = offset + x * scale; pixel < offset + (x + 1) * scale; pixel++) {
      const byte = pixel >> 3
      line[byte] = (line[byte] ?? 0) & ~(0x80 >> (pixel & 7))
    }
  }
  return line
}

/** A QR code as an SVG of two paths. @param size width and height in pixels */
export function qrSvg(text: string, size: number): string {
  const modules = modulesOf(text)
  const runs = modules.flatMap((row, y) => runsOf(row).map(({ x, length }) => `M${x} ${y}h${length}v1h-${length}z`))
  const side = modules.length
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" ` +
    `viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${side}v${side}h-${side}z"/><path d="${runs.join('')}"/></svg>`
  )
}

/** Stretches of dark modules in a row. */
function runsOf(row: readonly boolean[]): { x: number; length: number }[] {
  const runs: { x: number; length: number }[] = []
  for (const [x, dark] of row.entries()) {
    const last = runs.at(-1)
    if (dark && last && last.x + last.length === x) last.length++
    else if (dark) runs.push({ x, length: 1 })
  }
  return runs
}

/**
 * What the code of a passport of the caller's organization says: its GS1 Digital Link where its product, or its batch
 * or model that everybody may see, has a GTIN and its numbers can stand in one: tills read it too. Else, and where the
 * GTIN is another organization's, so that the link would lead there, the address of its page. @throws NOT_FOUND, DPP_PASSPORT_NOT_PUBLISHED
 */
export async function qrText(
  { trx, context }: Work, { organization }: OrganizationCaller, id: string,
): Promise<string> {
  const row = await PassportRow.query(trx).modify('ofOrganization', organization).modify('shown').findById(id)
  if (!row) throw notFound()
  refuseUnpublished(row)
  const { publicUrl } = context.settings
  const { product } = row
  const gtin = product && gtinWithParents(product, row.parents)
  const isOurs = gtin !== null && !await isGtinOfAnother(trx, organization, gtin)
  return (product && isOurs ? digitalLinkOf(publicUrl, product, gtin) : null) ?? `${publicUrl}/p/${id}`
}

function gtinWithParents(product: Record<string, unknown>, parents: PassportRow['parents']): string | null {
  const above = [parents?.batch_open ? parents.batch : null, parents?.model_open ? parents.model : null]
  return gtinOf(product, ...above.flatMap((one) => one ? [one.product] : []))
}

/** Only what the public can open gets a code. */
function refuseUnpublished({ status }: Pick<PassportRow, 'status'>): void {
  if (status === 'published' || status === 'claimed') return
  throw problem(
    'DPP_PASSPORT_NOT_PUBLISHED',
    `The passport is ${status}; a QR code is made of a published or claimed one.`,
  )
}
