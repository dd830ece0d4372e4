import { isObject } from '../../../kernel/json/values.ts'
import { createUntpExample, exampleGtin } from '../content/index.ts'
import type { FieldDefinition } from '../fields/index.ts'

/** Kinds of errors that end when the member goes, so that no value in its place is right. */
const removedKinds: readonly string[] = [
  'unknown_member',
  'reserved',
  'flow',
  'granularity',
  'too_deep',
  'too_large',
  'name',
  'not_certifiable',
  'not_found',
  'mismatch',
  'taken',
]
export const isRemoved = (kind: string): boolean => removedKinds.includes(kind)
const familyPattern = /^(?:untp|sheet|passport)_/

/**
 * Codes of rules that no value of the passport's own member meets: another passport, a key, a chain, a copy or a
 * document elsewhere does.
 */
const codesWithoutExample: ReadonlySet<string> = new Set([
  'gtin_of_another',
  'model_not_linked',
  'batch_not_linked',
  'batch_of_other_model',
  'parent_not_published',
  'parent_not_certified',
  'archived',
  'revoked',
  'suspended',
  'parent_revoked',
  'parent_suspended',
  'key_revoked',
  'anchor_lost',
  'did_document_missing',
  'did_document_lacks_key',
  'backup_copy_missing',
])

const [party] = createUntpExample('product.relatedParty') as { party: object }[]

/** Examples of rules whose member is not one of UNTP's, or has to be more than UNTP asks. */
const examplesByCode: Readonly<Record<string, unknown>> = {
  eu_gtin_missing: exampleGtin,
  eu_importer_missing: [{ ...party, role: 'importer' }],
  not_published: 'published',
  not_certified: 'certified',
  battery_capacity_missing: { value: 50, unit: 'AMH' },
  battery_chemistry_missing: 'LFP',
  battery_carbon_footprint_missing: { value: 61.2, unit: 'KGM' },
}

/** Examples of the members of a new passport, by their paths. */
const examplesByPath: Readonly<Record<string, unknown>> = {
  application: '018f3f6e-7b1a-7c3d-9e2f-0123456789ab',
  network: 'EthereumAnvil',
  fields: {},
  data: {},
  reference: 'order-4711',
  certifiedPaths: [],
  certificateUri: 'https://example.com/certificate.jsonld',
  allowedClaimEmail: 'buyer@example.com',
  allowedClaimPhoneNumber: '+33612345678',
  'data.opt_in_form': 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi',
}

/**
 * Creates an example of a value that meets the rule of a finding; null if no value in its place does.
 * @param code the code of the finding
 */
export function createFindingExample(code: string, path: string): unknown {
  if (codesWithoutExample.has(code)) return null
  if (familyPattern.test(code) && isRemoved(code.replace(familyPattern, ''))) return null
  if (code in examplesByCode) return examplesByCode[code]
  if (/^product(?:$|\.)/.test(path)) return createUntpExample(path)
  if (path in examplesByPath) return examplesByPath[path]
  return path.startsWith('data.') ? 'Text' : null
}

/**
 * Creates an example of the value at a path of fields, by their definitions. It is null if there is no definition.
 * @param path dotted, below the fields: `origin.country`, `parts[0].weight`
 */
export function createFieldExample(definitions: readonly FieldDefinition[], path: string): unknown {
  const [name = '', ...parts] = path.split(/\.|(?=\[)/)
  let definition = definitions.find((one) => one.name === name)
  for (const part of parts)
    definition = part.startsWith('[') ? definition?.itemsType : definition?.fields?.find((one) => one.name === part)
  return definition === undefined ? null : createDefinedExample(definition)
}

/** The longest text and list that an example has. */
const maxExampleLength = 200

function createDefinedExample(definition: FieldDefinition): unknown {
  const { type, min, max, variants } = definition
  if (definition.default !== undefined) return definition.default
  switch (type) {
    case 'number':
      return min ?? max ?? 1
    case 'boolean':
      return true
    case 'date':
      return min ?? max ?? '2026-03-02'
    case 'url':
    case 'image':
      return 'https://example.com/'
    case 'enum':
      return variants?.[0] ?? null
    case 'json':
      return {}
    case 'object':
      return createMembersExample(definition)
    default:
      return createSizedExample(definition)
  }
}

function createMembersExample({ fields = [] }: FieldDefinition): unknown {
  const required = fields.filter((one) => one.required)
  const shown = required.length > 0 ? required : fields
  return Object.fromEntries(shown.map((one) => [one.name, createDefinedExample(one)]))
}

/** Creates the example of a text or an array, whose length has limits. */
function createSizedExample(definition: FieldDefinition): unknown {
  const { type, minLength = 0, maxLength = maxExampleLength, itemsType } = definition
  if (minLength > maxExampleLength) return null
  if (type !== 'array') return 'Text'.padEnd(minLength, 'x').slice(0, maxLength)
  const length = Math.min(Math.max(1, minLength), maxLength)
  return Array.from({ length }, () => (itemsType ? createDefinedExample(itemsType) : 'Text'))
}

/** Finds a path that can be certified, because it leads to a value; undefined if there is none. */
export const findCertifiablePath = (values: unknown): string | undefined =>
  isObject(values)
    ? Object.entries(values).find(([name, value]) => /^\w+$/.test(name) && value !== null && name !== '__proto__')?.[0]
    : undefined
