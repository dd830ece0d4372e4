import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { readCatalogue, type Catalogue, type Tool, type ToolEntry } from '../../../tools/catalogue/catalogue.ts'
import type { Schema } from '../../../tools/openapi.ts'
import { createBridgeDocument } from '../../support/bridge/bridge-document.ts'
import { readCommittedCatalogue } from '../../support/bridge/committed-catalogue.ts'
import { listToolsOfView } from '../../support/bridge/tool-views.ts'

const api = 'http://127.0.0.1:3333'
const committed = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as Schema

const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Say nothing of which values are taken; what is under `$defs` is looked at where it is referred to. */
const annotationKeywords = ['description', 'title', 'examples', '$defs']
const linkOf = ({ description }: Schema) => /the resource (\S+)$/.exec(String(description))?.[1]

const typed: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
  ],
}
const everyTyped = Object.values(typed).flat()
const ofType = (type: string) => typed[type === 'integer' ? 'number' : type] ?? []
const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** Looks behind references, of the document or of the schema itself. */
function behind(schema: Schema, root: Schema): Schema {
  const { $ref, ...beside } = schema
  if (typeof $ref !== 'string') return schema
  const steps = $ref.slice(2).split('/')
  const target = steps.reduce<unknown>((at, step) => (at as Schema)[decodeURIComponent(step)], root) as Schema
  return { ...behind(target, root), ...beside }
}

/** A schema spelled out: one for each type that it takes, with the rules that bind it. */
function spelledOut(given: Schema, root: Schema): Schema[] {
  const { anyOf, oneOf, allOf, ...own } = behind(given, root)
  const link = linkOf(own)
  const rules = Object.entries(own).filter(([keyword]) => !annotationKeywords.includes(keyword))
  const beside: Schema = { ...Object.fromEntries(rules), ...(link !== undefined && { link }) }
  if (Array.isArray(allOf)) {
    const all = Object.assign({}, ...allOf.map((one: Schema) => behind(one, root))) as Schema
    return spelledOut({ ...all, ...own }, root)
  }
  const several = (anyOf ?? oneOf) as Schema[] | undefined
  if (several) return several.flatMap((one) => spelledOut(one, root)).map((one) => ({ ...beside, ...one }))
  const { type } = beside
  if (!Array.isArray(type)) return [beside]
  return type.map((one: string) => {
    const bound = Object.entries(beside).filter(([keyword]) =>
      keyword === 'link' ? one === 'object' : !everyTyped.includes(keyword) || ofType(one).includes(keyword),
    )
    const { enum: values, ...rest } = Object.fromEntries(bound) as { enum?: unknown[] }
    const ofOne = values?.filter((value) => kindOf(value) === one)
    return { ...rest, type: one, ...(ofOne && one !== 'null' && { enum: ofOne }) }
  })
}

/** What of a schema of the document is not in the one that is shown, or the other way round. */
class Comparison {
  readonly wrong: string[] = []
  readonly #document: Schema
  readonly #shown: Schema
  readonly #catalogue: Catalogue
  readonly #open = new Set<Schema>()

  constructor(document: Schema, shown: Schema, catalogue: Catalogue) {
    this.#document = document
    this.#shown = shown
    this.#catalogue = catalogue
  }

  compare(stated: Schema, shown: Schema, path: string): void {
    if (this.#open.has(stated)) return
    this.#open.add(stated)
    this.#each(spelledOut(stated, this.#document), spelledOut(shown, this.#shown), path)
    this.#open.delete(stated)
  }

  /** What is not shown stands in a resource. */
  #follow(stated: Schema, link: string, path: string): void {
    const match = this.#catalogue.resources.matchAddress(link)
    const whole = JSON.parse(match.is === 'own' ? match.text : '{}') as Schema
    const there = new Comparison(this.#document, whole, this.#catalogue)
    there.#each([stated], spelledOut(whole, whole), path)
    this.wrong.push(...there.wrong)
  }

  #each(stated: readonly Schema[], shown: readonly Schema[], path: string): void {
    const left = [...shown]
    for (const one of stated) {
      const at = left.findIndex((other) => JSON.stringify(other['type']) === JSON.stringify(one['type']))
      const [other] = at < 0 ? [] : left.splice(at, 1)
      if (typeof other?.['link'] === 'string') this.#follow(one, other['link'], path)
      else if (other) this.#rules(one, other, path)
      else this.wrong.push(`${path} takes ${String(one['type'])}`)
    }
    this.wrong.push(...left.map((one) => `${path} is shown to take ${String(one['type'])}`))
  }

  #rules(stated: Schema, shown: Schema, path: string): void {
    const says = (schema: Schema) =>
      Object.keys(schema).filter((keyword) => !keyword.startsWith('x-') && !isFree(keyword, schema))
    for (const keyword of new Set([...says(stated), ...says(shown)])) {
      this.#rule(keyword, stated[keyword], shown[keyword], path)
    }
  }

  #rule(keyword: string, stated: unknown, shown: unknown, path: string): void {
    if (['properties', 'patternProperties'].includes(keyword) && isRecord(stated) && isRecord(shown)) {
      for (const name of new Set([...Object.keys(stated), ...Object.keys(shown)])) {
        const [one, other] = [stated[name], shown[name]]
        if (isRecord(one) && isRecord(other)) this.compare(one, other, `${path}.${name}`)
        else if (one !== other) this.wrong.push(`${path}.${name}`)
      }
    } else if (isRecord(stated) && isRecord(shown)) this.compare(stated, shown, `${path} ${keyword}`)
    else if (JSON.stringify(stated) !== JSON.stringify(shown)) this.wrong.push(`${path} ${keyword}`)
  }
}

/** A pattern for any name and any value. */
const isFree = (keyword: string, schema: Schema) =>
  keyword === 'patternProperties'
  && Object.values(schema[keyword] as Schema).every((one) => JSON.stringify(one) === '{}')

const isList = (name: string, schema: Schema) =>
  (name === 'filters' || name === 'sorters') && schema['type'] === 'array'

/** Fields, operators and orders of a filter or sorter. */
function wordsOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(wordsOf)
  if (!isRecord(schema)) return []
  const own = Array.isArray(schema['enum']) ? (schema['enum'] as string[]) : []
  return [...own, ...Object.values(schema).flatMap(wordsOf)]
}

const descriptionsOf = (schema: Schema, root: Schema, open: readonly Schema[] = []): string[] => {
  const at = behind(schema, root)
  if (open.includes(at)) return []
  const inner = Object.entries(at).flatMap(([keyword, value]) => {
    const named = keyword === 'properties' || keyword === 'patternProperties'
    const several = named ? Object.values(value as Schema) : Array.isArray(value) ? (value as unknown[]) : [value]
    return several.filter(isRecord).flatMap((one) => descriptionsOf(one, root, [...open, at]))
  })
  return [...(typeof at['description'] === 'string' ? [at['description']] : []), ...inner]
}

/** A member with the choices that it says another tool writes out. */
function withChoices(member: Schema, schemaOf: (name: string) => Schema | undefined): Schema {
  const [, tool = '', name = ''] = /Values as in (\w+)\.(\w+)\.$/.exec(String(member['description'])) ?? []
  const properties = schemaOf(tool)?.['properties'] as Record<string, Schema> | undefined
  return properties ? { ...member, enum: properties[name]?.['enum'] } : member
}

/** Whether the names of a tool and its argument say a description, or the server's instructions for all tools. */
function isSaidElsewhere(tool: string, argument: string, description: string): boolean {
  const [, noun] = /^Identifier of the ([a-z ]+)\.$/.exec(description) ?? []
  return argument === 'dryRun' || noun?.split(' ').some((word) => `${tool} ${argument}`.includes(word)) === true
}

/** What the tool does not show of the document. */
function missing(document: Schema, catalogue: Catalogue, tool: Tool, listed: readonly ToolEntry[]): string[] {
  const { plan, operation } = tool
  const questionMembers = operation.questionDeclarations.flatMap(({ members }) => members)
  const schemaOf = (name: string) => listed.find((one) => one.name === name)?.inputSchema
  const inputSchema = schemaOf(operation.name) as Schema
  const shown = inputSchema['properties'] as Record<string, Schema>
  // What a tool has in common with another one is written out there, and it says so.
  const description = listed.find((one) => one.name === operation.name)?.description ?? ''
  const [, twin = operation.name] = /Bare members: as in (\w+)\.$/.exec(description) ?? []
  const twinSchema = schemaOf(twin) as Schema
  const twinDescription = listed.find((one) => one.name === twin)?.description ?? ''
  const comparison = new Comparison(document, inputSchema, catalogue)
  const twinComparison = new Comparison(document, twinSchema, catalogue)
  const text = JSON.stringify([inputSchema, twinSchema])
  const linked = /Required members only|members are in the resource/.test(text)
  const lost = plan.bindings.flatMap((binding) => {
    const { argument } = binding
    const { schema } = 'parameter' in binding ? binding.parameter.schema : binding.schema
    const own = shown[argument]
    if (!own) return questionMembers.includes(argument) ? [] : [argument]
    const isBare = twin !== operation.name && Object.keys(own).every((keyword) => keyword === 'type')
    const twinMember = (twinSchema['properties'] as Record<string, Schema>)[argument]
    const at = withChoices((isBare && twinMember) || own, schemaOf)
    if (isList(argument, schema)) {
      const words = new Set(
        JSON.stringify([at, description, isBare ? twinDescription : ''])
          .split(/[^\w.]+/)
          .map((word) => word.replace(/\.$/, '')),
      )
      return wordsOf(schema).filter((word) => !words.has(word))
    }
    ;(isBare && twinMember ? twinComparison : comparison).compare(schema, at, argument)
    return linked
      ? []
      : descriptionsOf(schema, document).filter(
          (one) => !text.includes(JSON.stringify(one).slice(0, -1)) && !isSaidElsewhere(operation.name, argument, one),
        )
  })
  return [...lost, ...comparison.wrong, ...twinComparison.wrong].map((one) => `${operation.name}: ${one}`)
}

interface Stated {
  parameters: Schema[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

describe('tools/list: schemas and texts shown to a client', () => {
  const documents = { 'the committed document': committed, 'the fixture': createBridgeDocument() as Schema }
  for (const [name, document] of Object.entries(documents)) {
    const catalogue = readCatalogue(document, api)
    const tools = [...catalogue.tools.values(), ...catalogue.readTools.values()]

    it(`has every member, rule and description of ${name}, or names the resource that has them`, () => {
      const listed = listToolsOfView(catalogue, { readTools: true })
      expect(tools.flatMap((tool) => missing(document, catalogue, tool, listed))).to.deep.equal([])
    })
  }

  it('has an argument for each parameter and each member of the body', () => {
    const catalogue = readCommittedCatalogue()
    const paths = committed['paths'] as Record<string, Record<string, Stated>>
    for (const { operation, plan } of [...catalogue.tools.values(), ...catalogue.readTools.values()]) {
      const stated = paths[operation.path]?.[operation.method.toLowerCase()] as Stated
      const parameters = stated.parameters
        .filter((one) => one['in'] !== 'header' && !(one['schema'] as Schema | undefined)?.['x-mcp-omit'])
        .map((one) => String(one['name']))
      const { mediaType = '' } = operation.body ?? {}
      const body = stated.requestBody && behind(stated.requestBody.content[mediaType]?.schema ?? {}, committed)
      const closed = body && body['additionalProperties'] === false
      const whole = body ? [body['type'] === 'array' ? 'items' : 'body'] : []
      const members = closed ? Object.keys(body['properties'] as Schema) : whole
      expect(
        plan.bindings.map(({ argument }) => argument),
        operation.name,
      ).to.have.members([...parameters, ...members])
    }
  })
})
