import { duplicatePolicies, MapperPatch, type Mapper } from '../../../../features/imports/index.ts'
import { createJsonValidator } from '../../../../kernel/json/schema-validators.ts'
import { createValidationProblem } from '../../../../kernel/problem.ts'
import { oneOf, optional, string } from '../../../../kernel/schema.ts'
import { listFirstIssues, listNameIssues } from '../../frame/forms.views.ts'

/** The fields of the form of a mapping. One for files that are sent has only its name. */
export const mappingFields = {
  mark: optional(string('What the mapping was like when the form was opened.', { maxLength: 100 })),
  name: optional(string('Its name.', { maxLength: 400 })),
  url: optional(string('The address that it fetches.', { maxLength: 4_000 })),
  schedule: optional(string('When it fetches, or nothing.', { maxLength: 200 })),
  onDuplicate: optional(oneOf(['', ...duplicatePolicies], 'What becomes of rows whose record exists.')),
}

/** What the form says. */
export type MappingForm = Record<'name' | 'url' | 'schedule' | 'onDuplicate', string>

/** Picks what the form changes of a mapping. */
export const pickContent = ({ name, url, schedule, onDuplicate }: Mapper) => ({ name, url, schedule, onDuplicate })

/** Returns the form as it is filled in before anybody changes it. */
export const toForm = ({ name, url, schedule, onDuplicate }: Mapper): MappingForm => ({
  name,
  url: url ?? '',
  schedule: schedule ?? '',
  onDuplicate: onDuplicate ?? '',
})

const validatePatch = createJsonValidator(() => MapperPatch)

/** Creates the patch that a form asks for: only what it changes. @throws VALIDATION_FAILED */
export function createMappingPatch(mapper: Mapper, form: MappingForm): MapperPatch {
  const name = form.name.trim()
  const texts = {
    name,
    ...(mapper.type === 'url' && {
      url: form.url.trim() || null,
      schedule: form.schedule.trim() || null,
      onDuplicate: form.onDuplicate || null,
    }),
  }
  const stored: Record<string, unknown> = pickContent(mapper)
  const patch = Object.fromEntries(Object.entries(texts).filter(([member, value]) => stored[member] !== value))
  const issues = [
    ...listNameIssues(name),
    ...validatePatch(patch, '', 0).map((issue) => ({ ...issue, path: issue.path.replace(/^\./, '') })),
  ]
  const first = listFirstIssues(issues)
  if (first.length > 0) throw createValidationProblem(first)
  return patch
}
