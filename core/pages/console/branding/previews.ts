import { formatAddress } from '../frame/lists.ts'
import { pickShown, type BrandingForm } from './branding.form.ts'

export const brandingPath = '/console/branding'
export const getBrandingAddress = (id: string): string => `${brandingPath}/${id}`

/** The pages of an application that are previewed. */
export const previewNames = ['claim', 'passport', 'me'] as const
export type PreviewName = (typeof previewNames)[number]

/** Returns the path of a preview. */
export const getPreviewPath = (id: string, name: PreviewName): string => `${getBrandingAddress(id)}/preview/${name}`

/** Returns the address of a preview in the looks that a form describes. @param language the language of the preview */
export const getPreviewAddress = (id: string, name: PreviewName, form: BrandingForm, language: string): string =>
  formatAddress(getPreviewPath(id, name), pickShown(form, language))
