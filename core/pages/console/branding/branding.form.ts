import type { ApplicationPatch, Theme } from '../../../features/applications/index.ts'
import { createValidationProblem, type Issue, type ProblemError } from '../../../kernel/problem.ts'
import { listChanges, listPatchIssues } from '../applications/settings.form.ts'
import { listFirstIssues } from '../frame/forms.views.ts'

/** The members of a theme that our own pages show. */
export const shownNames = ['title', 'logoUrl', 'mode', 'primaryColor', 'secondaryColor'] as const
/** The members of a theme that only other programs read. */
export const otherNames = ['bgImageUrl', 'googleFont'] as const
export const themeNames = [...shownNames, ...otherNames] as const
export type ThemeName = (typeof themeNames)[number]

/** What the form of the looks says: each member of the theme, empty if it is not set. */
export type BrandingForm = Readonly<Record<ThemeName, string>>

const createForm = (read: (name: ThemeName) => string | undefined): BrandingForm =>
  Object.fromEntries(themeNames.map((name) => [name, read(name) ?? ''])) as Record<ThemeName, string>

/** Returns the form as it is filled in before anybody changes it. */
export const toForm = (theme: Theme): BrandingForm => createForm((name) => theme[name])

/** Reads the form as it was sent. */
export const readForm = (body: { readonly [name in ThemeName]?: string }): BrandingForm =>
  createForm((name) => body[name]?.trim())

/** Returns the members that a form sets. */
const readTheme = (form: BrandingForm): Record<string, string> =>
  Object.fromEntries(themeNames.filter((name) => form[name] !== '').map((name) => [name, form[name]]))

/** The path of each field in the body of the API. */
export const getFieldPath = (name: ThemeName): string => `theme.${name}`

/** Lists what is wrong with a form, each field once. */
const listIssues = (form: BrandingForm): Issue[] => listFirstIssues(listPatchIssues({ theme: readTheme(form) }))

/**
 * Creates the patch that a form asks for: only what it changes.
 * @throws VALIDATION_FAILED with every field that is wrong, each once
 */
export function createThemePatch(theme: Theme, form: BrandingForm): ApplicationPatch {
  const issues = listIssues(form)
  if (issues.length > 0) throw createValidationProblem(issues)
  return { theme: listChanges(theme, readTheme(form)) }
}

/** The looks that a form describes, which nothing has stored. */
export interface DraftLooks {
  /** The fields that are written as they have to be. */
  theme: Theme
  /** What is wrong with the others. */
  problem: ProblemError | undefined
}

/** Reads the looks that a form describes. */
export function readDraft(form: BrandingForm): DraftLooks {
  const issues = listIssues(form)
  const wrong = new Set(issues.map(({ path }) => path))
  const entries = Object.entries(readTheme(form)).filter(([name]) => !wrong.has(getFieldPath(name as ThemeName)))
  return {
    theme: Object.fromEntries(entries) as Theme,
    problem: issues.length > 0 ? createValidationProblem(issues) : undefined,
  }
}
