import type { ColourContrast, LookName, SectionName, TextName } from '../../../features/applications/index.ts'
import type { PlainName } from './branding.form.ts'
import type { PreviewName } from './previews.ts'

/** The texts of the pages about branding. */
export interface BrandingWords {
  title: string
  titleOf: (application: string) => string
  intro: string
  listIntro: string
  count: (count: string) => string
  application: string
  looks: string
  colours: string
  none: string
  fields: Readonly<Record<PlainName, string>>
  hints: Readonly<Partial<Record<PlainName, string>>>
  /** The finished looks to start from. */
  starts: string
  startsText: string
  lookNames: Readonly<Record<LookName, string>>
  /** The choice of no finished look, and of no font. */
  ownLook: string
  usualFont: string
  footers: Readonly<Record<'usual' | 'hidden' | 'shown', string>>
  order: string
  orderText: string
  sections: Readonly<Record<SectionName, string>>
  /** The label of an element of a list. @param place from 1 */
  place: (place: number) => string
  languages: string
  languagesText: string
  textsHead: string
  textsText: string
  texts: Readonly<Record<TextName, string>>
  textHints: Readonly<Record<TextName, string>>
  modes: Readonly<Record<'auto' | 'light' | 'dark', string>>
  pick: (field: string) => string
  notSet: string
  preview: string
  saved: string
  isDraft: string
  storedHead: string
  contrast: string
  contrastText: string
  colour: string
  on: string
  ratio: string
  verdict: string
  schemes: Readonly<Record<ColourContrast['scheme'], string>>
  ratioOf: (ratio: string) => string
  enough: string
  /** @param shade what pages show instead */
  notEnough: (shade: string) => string
  /** Of the second colour, in which nothing is written. */
  notEnoughForText: string
  previews: string
  previewsText: string
  previewNames: Readonly<Record<PreviewName, string>>
  optIn: string
  optInText: string
  file: string
  fileHint: string
  upload: string
  kept: string
  address: string
  size: (bytes: string) => string
  toSettings: string
  codes: Readonly<Record<string, string>>
  issues: Readonly<Record<string, string>>
}

/** The made-up content of previews. */
export interface ExampleWords {
  product: string
  values: readonly (readonly [label: string, value: string])[]
  description: string
  materials: readonly (readonly [name: string, share: number])[]
  document: string
  email: string
  tier: string
  nextTier: string
}
