import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'

/** All that stands behind the member of a link set whose name is a link type. Source: RFC 9264, sections 4.2.3 and 4.2.4. */
const targets = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['href', 'title'],
    additionalProperties: false,
    properties: {
      href: { type: 'string', format: 'uri', pattern: '^https?://' },
      title: { type: 'string', minLength: 1 },
      // As the media type of RFC 9110, without parameters.
      type: { type: 'string', pattern: '^[\\w.+-]+/[\\w.+-]+$' },
      // Of RFC 5646 what the standard's own schema takes: a language, or one with its region.
      hreflang: { type: 'array', minItems: 1, items: { type: 'string', pattern: '^[a-z]{2}(-[A-Z]{2})?$' } },
    },
  },
}

/**
 * What a conformant resolver's link set has to be: our own wording of what the standard's schema of link sets and
 * RFC 9264, section 4.2, ask for, and stricter where the standard's text is: one default link, names of link types as
 * addresses of the GS1 vocabulary. Source: GS1-Conformant Resolver 1.2, sections 2.5 and 2.10.
 */
const linkSetSchema = {
  type: 'object',
  required: ['linkset'],
  additionalProperties: false,
  properties: {
    linkset: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['anchor', 'description', 'https://ref.gs1.org/voc/defaultLink'],
        additionalProperties: false,
        properties: {
          anchor: { type: 'string', format: 'uri', pattern: '^https?://[^/]+/01/\\d{14}(/10/[^/?#]+)?(/21/[^/?#]+)?$' },
          description: { type: 'string', minLength: 1 },
          // Ours: that numbers which were asked for are not registered, and what was withdrawn.
          registered: { const: false },
          status: { enum: ['revoked', 'suspended'] },
          'https://ref.gs1.org/voc/defaultLink': { ...targets, maxItems: 1 },
        },
        patternProperties: { '^https://ref\\.gs1\\.org/voc/[A-Za-z]+$': targets },
      },
    },
  },
}

/** Keys that identify things. Source: GS1-Conformant Resolver 1.2, section 3. */
const keys = [
  'all',
  '00',
  '01',
  '253',
  '255',
  '401',
  '402',
  '410',
  '411',
  '412',
  '413',
  '414',
  '415',
  '417',
  '8003',
  '8004',
  '8006',
  '8010',
  '8013',
  '8017',
  '8018',
]

/**
 * What a resolver has to say of itself: our own wording of the standard's schema of description files, closed, so that
 * nothing is told that it does not know. Source: GS1-Conformant Resolver 1.2, section 3.
 */
const descriptionSchema = {
  type: 'object',
  required: ['resolverRoot', 'supportedPrimaryKeys'],
  additionalProperties: false,
  properties: {
    resolverRoot: { type: 'string', format: 'uri', pattern: '[^/]$' },
    supportedPrimaryKeys: { type: 'array', minItems: 1, uniqueItems: true, items: { enum: keys } },
    name: { type: 'string' },
    supportedLinkType: {
      type: 'array',
      items: {
        type: 'object',
        required: ['namespace', 'prefix'],
        additionalProperties: false,
        properties: {
          namespace: { type: 'string', format: 'uri' },
          prefix: { type: 'string', pattern: '^[A-Za-z_][\\w-]*:$' },
        },
      },
    },
    linkTypeDefaultCanBeLinkset: { type: 'boolean' },
    supportedContextValuesEnumerated: { type: 'array', items: { type: 'string' } },
    contact: { type: 'object' },
    extensionProfile: { type: 'string' },
    jsonLdContextLocation: { type: 'string', format: 'uri' },
  },
}

const ajv = formats.default(
  new Ajv({ allErrors: true, strict: true, strictTypes: false, allowMatchingProperties: true }),
)
const faultsBy =
  (validate: ValidateFunction) =>
  (value: unknown): string[] =>
    validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)

/** What is wrong with a link set, and with the description of a resolver; nothing where they are what they have to be. */
export const listLinkSetFaults = faultsBy(ajv.compile(linkSetSchema))
export const listDescriptionFaults = faultsBy(ajv.compile(descriptionSchema))
