import type { LabelledValue, PassportPage } from '../../../features/dpp/index.ts'
import { words } from '../../../languages/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderServedPicture } from '../../site/pictures.ts'
import type { PassportReader } from '../passport.proof.ts'
import { getText } from './members.ts'

/** The most pictures of a gallery. Further ones stand among the values or documents as links. */
const maxPictures = 12

/** The room of a picture: as wide as the page on a phone, and half of it beside the text. */
const sizes = '(min-width: 60rem) 34rem, 92vw'
const room = { width: 1_280, height: 480 }

const listShownPictures = ({ pictures }: Pick<PassportPage, 'pictures'>) => pictures.slice(0, maxPictures)

/** Returns whether a field of a sheet is a picture that belongs to the gallery, whether it could be fetched or not. */
export const isInGallery = (view: Pick<PassportPage, 'pictures'>, { type, value }: LabelledValue): boolean =>
  type === 'image' && listShownPictures(view).some(({ address }) => address === value)

/** Returns whether the picture at the address of a link is one that the gallery shows. */
export const isShownInGallery = (view: Pick<PassportPage, 'pictures'>, link: LabelledValue): boolean => {
  const linked = getText(link, 'linkURL')
  return linked !== null && listShownPictures(view).some(({ address, served }) => served && address === linked)
}

/** Renders the pictures of a product, which can be swept aside. One that could not be fetched leaves nothing. */
export function renderGallery(view: PassportPage, { language }: PassportReader): Markup | false {
  const phrases = words[language].product
  const shown = listShownPictures(view).flatMap(({ title, served }) => (served ? [{ title, served }] : []))
  const images = shown.map(({ title, served }, at) =>
    renderServedPicture(served, {
      alt: title ?? (shown.length > 1 ? phrases.picture(at + 1, shown.length) : ''),
      sizes,
      room,
      isFirst: at === 0,
    }),
  )
  if (images.length === 0) return false
  if (images.length === 1) return html`<div class="gallery">${images}</div>`
  return html`<div class="gallery" role="group" aria-label="${phrases.pictures}" tabindex="0">${images}</div>`
}
