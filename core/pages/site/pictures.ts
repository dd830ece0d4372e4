import type { PassportView, ServedPicture } from '../../features/dpp/index.ts'
import { html, type Markup } from './html.ts'

export interface PictureOptions {
  /** What it shows, for those who do not see it; empty for decoration. */
  alt: string
  /** How wide it is on the page, as CSS lengths with their conditions. */
  sizes: string
  /** The room on the page in pixels, which the attributes `width` and `height` say before it is loaded. */
  room: Sides
  /** Whether readers see it as soon as the page opens, so that it is loaded before others. */
  isFirst?: boolean
  className?: string
}

/**
 * Renders a picture of a brand from our own addresses, of which browsers choose the size that they need. None is loaded
 * before the page is laid out: on a slow line pictures would hold up the text.
 * Source: HTML, "The img element"; "Lazy loading attributes".
 */
export function renderServedPicture(
  picture: ServedPicture,
  { alt, sizes, room, isFirst = false, className }: PictureOptions,
): Markup {
  const largest = getLargestForm(picture)
  const { width, height } = fitIntoRoom(largest, room)
  const sources = picture.map((form) => `${form.path} ${form.width}w`).join(', ')
  return html`<img${className !== undefined && html` class="${className}"`} src="${largest.path}"${picture.length > 1 && html` srcset="${sources}" sizes="${sizes}"`} width="${width}" height="${height}" alt="${alt}" decoding="async"${isFirst && html` fetchpriority="high"`} loading="lazy">`
}

/** The sides of a picture or of the room for it, in pixels. */
interface Sides {
  width: number
  height: number
}

/** Scales a picture down until it fits into a room, and never up. */
export function fitIntoRoom(picture: Sides, room: Sides): Sides {
  const scale = Math.min(1, room.width / picture.width, room.height / picture.height)
  const scaleSide = (side: number) => Math.max(1, Math.round(side * scale))
  return { width: scaleSide(picture.width), height: scaleSide(picture.height) }
}

/** Returns the largest size of a picture. */
export const getLargestForm = (picture: ServedPicture): ServedPicture[0] => picture.at(-1) ?? picture[0]

/** The most that the picture of a product takes of a page with a form, in pixels. */
const productRoom = { width: 640, height: 320 }

/** Renders the first picture of a product above a form; nothing if it has none, or none yet. */
export function renderProductPicture(
  { pictures: [first] }: Pick<PassportView, 'pictures'>,
  alt: string,
): Markup | false {
  const served = first?.served ?? null
  return (
    served !== null
    && renderServedPicture(served, { alt, sizes: '20rem', room: productRoom, isFirst: true, className: 'product' })
  )
}
