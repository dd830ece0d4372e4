import type { LabelledValue, PassportPage } from '../../../features/dpp/index.ts'
import { words } from '../../../languages/index.ts'
import { html, type Markup } from '../../site/html.ts'
import type { PassportReader } from '../passport.proof.ts'

/** The most pictures of a gallery. Further ones stand among the values or documents as links. */
const maxPictures = 12

const listShownPictures = ({ pictures }: Pick<PassportPage, 'pictures'>) => pictures.slice(0, maxPictures)

/** Returns whether a field of a sheet is a picture that the gallery shows. */
export const isInGallery = (view: Pick<PassportPage, 'pictures'>, { type, value }: LabelledValue): boolean =>
  type === 'image' && listShownPictures(view).some(({ address }) => address === value)

/** Renders the pictures of a product, which can be swept aside. One that cannot be loaded leaves nothing. */
export function renderGallery(view: PassportPage, { language }: PassportReader): Markup | false {
  const phrases = words[language].product
  const shown = listShownPictures(view)
  const images = shown.map(
    ({ address, title }, at) =>
      html`<img src="${address}" alt="${title ?? (shown.length > 1 ? phrases.picture(at + 1, shown.length) : '')}" referrerpolicy="no-referrer"${at > 0 && html` loading="lazy"`}>`,
  )
  if (images.length === 0) return false
  if (images.length === 1) return html`<div class="gallery">${images}</div>`
  return html`<div class="gallery" role="group" aria-label="${phrases.pictures}" tabindex="0">${images}</div>`
}
