import encodeQR from 'qr'
import { encode } from 'fast-png'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createNotFoundProblem, createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { createDigitalLink, findGtin } from '../content/index.ts'
import { isGtinOfAnother } from './owners.ts'
import { PassportRow } from '../passports/index.ts'

/** The number of light modules around the code. Source: ISO/IEC 18004, section 6.3.8. */
const quietZone = 4

/** Creates the rows of modules, including the quiet zone; dark modules are true. The error correction level is M. */
function createModules(text: string): boolean[][] {
  return encodeQR(text, 'raw', { ecc: 'medium', border: quietZone })
}

/** Computes the whole pixels per module, and the offset of light pixels before the first module. */
function fitModules(modules: number, size: number): { width: number; scale: number; offset: number } {
  const width = Math.max(size, modules)
  const scale = Math.floor(width / modules)
  return { width, scale, offset: Math.floor((width - modules * scale) / 2) }
}

/**
 * Creates a QR code as a PNG with one bit per pixel.
 * @param size width and height in pixels; the image is larger if a module would get less than one pixel
 */
export function createQrPng(text: string, size: number): Uint8Array {
  const modules = createModules(text)
  const { width, scale, offset } = fitModules(modules.length, size)
  const stride = Math.ceil(width / 8)
  const data = new Uint8Array(stride * width).fill(0xff)
  for (const [y, row] of modules.entries()) {
    const line = createPixelLine(row, stride, scale, offset)
    for (let copy = 0; copy < scale; copy++) data.set(line, (offset + y * scale + copy) * stride)
  }
  return encode({ width, height: width, depth: 1, channels: 1, data })
}

/** Creates one line of pixels; a dark module clears its bits. */
function createPixelLine(row: readonly boolean[], stride: number, scale: number, offset: number): Uint8Array {
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

/**
 * Creates a QR code as an SVG of two paths.
 * @param size width and height in pixels
 */
export function createQrSvg(text: string, size: number): string {
  const modules = createModules(text)
  const runs = modules.flatMap((row, y) =>
    findDarkRuns(row).map(({ x, length }) => `M${x} ${y}h${length}v1h-${length}z`),
  )
  const side = modules.length
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" `
    + `viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">`
    + `<path fill="#fff" d="M0 0h${side}v${side}h-${side}z"/><path d="${runs.join('')}"/></svg>`
  )
}

/** Finds the runs of dark modules in a row. */
function findDarkRuns(row: readonly boolean[]): { x: number; length: number }[] {
  const runs: { x: number; length: number }[] = []
  for (const [x, dark] of row.entries()) {
    const last = runs.at(-1)
    if (dark && last && last.x + last.length === x) last.length++
    else if (dark) runs.push({ x, length: 1 })
  }
  return runs
}

/**
 * Reads the text of the QR code of a passport of the caller's organization. It is a GS1 Digital Link, which tills can
 * read too, if the product, or its public batch or model, has a GTIN and the numbers fit into a link. Otherwise it is
 * the address of the passport's page; so it is if another organization owns the GTIN, because the link would lead
 * there.
 * @throws NOT_FOUND
 * @throws DPP_PASSPORT_NOT_PUBLISHED
 */
export async function readQrText(
  { trx, context }: Work,
  { organization }: OrganizationCaller,
  id: string,
): Promise<string> {
  const row = await PassportRow.query(trx).modify('ofOrganization', organization).modify('shown').findById(id)
  if (!row) throw createNotFoundProblem()
  assertPublished(row)
  const { publicUrl } = context.settings
  const { product } = row
  const gtin = product && findGtinWithParents(product, row.parents)
  const isOurs = gtin !== null && !(await isGtinOfAnother(trx, organization, gtin))
  return (product && isOurs ? createDigitalLink(publicUrl, product, gtin) : null) ?? `${publicUrl}/p/${id}`
}

function findGtinWithParents(product: Record<string, unknown>, parents: PassportRow['parents']): string | null {
  const above = [parents?.batch_open ? parents.batch : null, parents?.model_open ? parents.model : null]
  return findGtin(product, ...above.flatMap((one) => (one ? [one.product] : [])))
}

/**
 * Checks that a passport is public; only public passports get a QR code.
 * @throws DPP_PASSPORT_NOT_PUBLISHED
 */
function assertPublished({ status }: Pick<PassportRow, 'status'>): void {
  if (status === 'published' || status === 'claimed') return
  throw createProblem(
    'DPP_PASSPORT_NOT_PUBLISHED',
    `The passport is ${status}; a QR code is made of a published or claimed one.`,
  )
}
