import { calculateLikeness, findNearest } from '../arguments/nearest.ts'
import type { Tool } from '../catalogue/catalogue.ts'
import { isRecord } from '../openapi.ts'
import type { Issue } from '../results/issues.ts'
import { describeLists, listFields } from './list-fields.ts'

/** How alike an unknown name and a known one must be for the one to be a slip of the other, from 0 to 1. */
const minLikeness = 0.4

/**
 * Adds to the issues of a call what its author needs to put it right: the name that an unknown argument or field was
 * probably meant to be, how to mean everything, and once each the fields and operators of `filters` and `sorters`.
 */
export function explainIssues(tool: Tool, issues: readonly Issue[]): Issue[] {
  const { filterFields, sorterFields } = describeLists(tool)
  const lists = new Map([
    ['filters', formatFields('Filters', filterFields)],
    ['sorters', formatFields('Sorters', sorterFields)],
  ])
  return issues.map((issue) => {
    const [, argument = '', rest = ''] = /^([^.[]*)(.*)$/s.exec(issue.path) ?? []
    const message = issue.message + suggestName(tool, issue, argument, rest)
    if (rest === '')
      return issue.code === 'required' && argument === tool.plan.bulkArgument
        ? { ...issue, message: `${message}; [] means all` }
        : { ...issue, message }
    const fields = lists.get(argument)
    lists.delete(argument)
    return {
      ...issue,
      message: fields === undefined ? message : `${message}${message.endsWith('?') ? '' : '.'} ${fields}`,
    }
  })
}

function formatFields(title: string, fields: unknown): string | undefined {
  if (fields === undefined || fields === '') return undefined
  const text = Array.isArray(fields) ? fields.join(', ') : String(fields)
  return `${title}: ${text.replace(/\.$/, '')}.`
}

/** Returns words that name what an unknown argument, or an unknown field of a list, was probably meant to be. */
function suggestName({ plan }: Tool, { code }: Issue, argument: string, rest: string): string {
  if (code !== 'unknown_member') return ''
  const { properties } = plan.inputSchema
  const known = isRecord(properties) ? properties : {}
  const list = plan.bindings.find((binding) => binding.argument === argument)
  const [, field] = /^\.(.*)$/s.exec(rest) ?? []
  const names = rest === '' ? Object.keys(known) : list ? listFields(list.schema.schema) : []
  const name = field ?? argument
  const [nearest] = findNearest(names, name, (one) => one, 1)
  return nearest !== undefined && nearest !== name && calculateLikeness(nearest, name) >= minLikeness
    ? `; did you mean ${nearest}?`
    : ''
}
