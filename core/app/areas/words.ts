import type { Area } from '../../features/area.ts'
import type { Operation } from '../../kernel/operation.ts'
import { setPermissions, splitPermission, type Permission, type RoleActions } from '../../kernel/permission.ts'
import { problemCodes, setAreaCodes, type ProblemCodeTable } from '../../kernel/problem-codes.ts'
import {
  eventSubjects,
  eventTypes,
  jobTypes,
  resources,
  setWords,
  type EventSubject,
  type EventType,
  type JobType,
  type Resource,
} from '../../kernel/words.ts'
import { reservedPermissions, sortAsPublished } from './published.ts'

/** The words that areas contribute: codes of problems, types of jobs, subjects of events, resources of permissions. */
export interface Words {
  readonly problemCodes: ProblemCodeTable
  readonly jobTypes: readonly JobType[]
  readonly eventSubjects: readonly EventSubject[]
  readonly eventTypes: readonly EventType[]
  readonly permissions: readonly (readonly [Resource, RoleActions])[]
}

/** Collects the words of the areas. @throws Error if two areas declare the same word */
export function collectWords(areas: readonly Area[]): Words {
  const codes = areas.flatMap((one) => Object.entries(one.problemCodes ?? {}))
  const types = areas.flatMap(({ jobs = [] }) => jobs.map(({ type }) => type))
  const events = areas.flatMap((one) => Object.entries(one.events ?? {}) as [EventSubject, readonly EventType[]][])
  const permissions = areas.flatMap((one) => Object.entries(one.permissions ?? {}) as [Resource, RoleActions][])
  assertUnique('problem code', getNames(codes))
  assertUnique('job', types)
  assertUnique('event subject', getNames(events))
  assertUnique('permission', getNames(permissions))
  const own = new Set<string>(getNames(permissions))
  const reserved = Object.entries(reservedPermissions).filter(([resource]) => !own.has(resource))
  return {
    problemCodes: Object.fromEntries(codes),
    jobTypes: sortAsPublished('jobTypes', types, (type) => type),
    eventSubjects: getNames(events),
    eventTypes: [...new Set(events.flatMap(([, typesOfSubject]) => typesOfSubject))],
    permissions: sortAsPublished(
      'resources',
      [...permissions, ...(reserved as [Resource, RoleActions][])],
      ([resource]) => resource,
    ),
  }
}

/**
 * Makes these the words of the process.
 * @throws Error if an operation names a code, a job or a permission that is not among them
 */
export function installWords(words: Words, operations: readonly Operation[]): void {
  setAreaCodes(words.problemCodes)
  setPermissions(words.permissions)
  setWords(jobTypes, words.jobTypes)
  setWords(eventSubjects, words.eventSubjects)
  setWords(eventTypes, words.eventTypes)
  const missing = operations.flatMap(listMissingWords)
  if (missing.length > 0) throw new Error(`No area declares: ${missing.join(', ')}`)
}

function listMissingWords({ declaration }: Operation): string[] {
  const { id, problemCodes: codes = [] } = declaration
  const { rule } = declaration.access
  const { tooLargeCode } = declaration.transport
  const { startsJobType } = declaration.execution
  const rules: readonly string[] = [rule].flat()
  const named = rules.filter((one) => one.includes(':')).map((one) => splitPermission(one as Permission).resource)
  return [
    ...[...codes, ...(tooLargeCode ? [tooLargeCode] : [])].filter((code) => !Object.hasOwn(problemCodes, code)),
    ...(startsJobType && !jobTypes.includes(startsJobType) ? [`a job of type ${startsJobType}`] : []),
    ...named.filter((resource) => !resources.includes(resource)).map((resource) => `a permission of ${resource}`),
  ].map((word) => `${word} (${id})`)
}

const getNames = <N extends string>(entries: readonly (readonly [N, unknown])[]): N[] => entries.map(([name]) => name)

/** @throws Error if a name occurs twice */
export function assertUnique(noun: string, names: readonly string[]): void {
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  if (twice.length > 0) throw new Error(`Two areas declare the ${noun} ${twice.join(', ')}`)
}
