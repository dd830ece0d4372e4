import type { Finding } from './answers.types.ts'
import { createFindingExample } from './readiness.examples.ts'

/** The part of a finding that is the same for every finding of a code. */
interface Rule {
  severity: Finding['severity']
  rule: string
  /** `{path}` stands for the path of the finding. */
  fix: string
}

const gs1 = 'GS1 General Specifications, section 7.9'
const link = 'GS1 Digital Link Standard: URI Syntax'
const untp = 'UNTP Digital Product Passport 0.7.0'
const espr = 'Regulation (EU) 2024/1781'
const batteries = 'Regulation (EU) 2023/1542'
const partA = `${batteries}, article 77(2), Annex XIII point 1(a) and Annex VI part A`
const didWeb = 'did:web Method Specification, section 3.2'
const statusLists = 'W3C Bitstring Status List 1.0'
const anchoring = 'Anchored certificates of this interface'
const revokedKeys = 'Revoked keys of this interface (GET /v1/dpp/issuers/{did}/keys)'
const ours = 'What this interface takes and links'

const createErrorRule = (rule: string, fix: string): Rule => ({ severity: 'error', rule, fix })
const createWarningRule = (rule: string, fix: string): Rule => ({ severity: 'warning', rule, fix })
const createInfoRule = (rule: string, fix: string): Rule => ({ severity: 'info', rule, fix })

/**
 * The rules that have a code of their own. An error: a standard, or this interface, refuses the value. A warning:
 * somebody will ask for the value. Annex III of the ESPR is a catalogue from which the delegated act of a product group
 * chooses, so what it names is never an error here.
 * Source: the Official Journal's texts that each rule names.
 */
const ownRules = {
  gtin_check_digit: createErrorRule(
    gs1,
    'Compare the GTIN in {path} with the bar code of the product; its last digit follows from the others.',
  ),
  gtin_length: createErrorRule(
    gs1,
    'Send all digits of the GTIN in {path}: 8, 12, 13 or 14 of them, leading zeros included.',
  ),
  gtin_mismatch: createErrorRule(link, 'Let product.gtin and the digits after /01/ in product.id be the same GTIN.'),
  gtin_of_another: createWarningRule(
    ours,
    'Use a GTIN of your own; or, where you sell what another one makes, let codes name a domain that you have proven. '
      + 'If it is yours, contest it: POST /v1/dpp/gtins/{gtin}/contest.',
  ),
  gln_check_digit: createErrorRule(
    gs1,
    'Compare the GLN in {path} with its registration; its last digit follows from the 12 others.',
  ),
  identifier_number_mismatch: createErrorRule(
    link,
    'Let {path} be the number that stands behind /10/ or /21/ in product.id.',
  ),
  identifier_too_fine: createErrorRule(
    `${untp}, idGranularity`,
    'Take /21/ or /10/ out of product.id, or say in product.idGranularity what it names.',
  ),
  identifier_too_coarse: createWarningRule(
    `${untp}, idGranularity`,
    'Let product.id name this batch or item, with /10/ or /21/ behind its GTIN.',
  ),
  country_code_unknown: createErrorRule(
    'ISO 3166-1, alpha-2 codes',
    'Send {path} as the two capital letters of a country, as FR for France.',
  ),
  unit_unknown: createErrorRule(
    'UN/ECE Recommendation 20',
    'Send {path} as the common code of the unit, as KGM for kilogram or MTR for metre.',
  ),
  unit_deprecated: createWarningRule(
    'UN/ECE Recommendation 20',
    'Send in {path} the code of a unit that is in use, with the value measured in it.',
  ),
  untp_member_no_field: createErrorRule(
    `${untp}, JSON Schema of Product`,
    'Give the sheet a field with the name behind `product.` in {path}, with its value, and name it in certifiedPaths of the sheet.',
  ),
  commodity_code_malformed: createErrorRule(
    'Harmonized System, Combined Nomenclature, TARIC and UN Central Product Classification: their codes',
    'Send in {path} the digits of the code alone: up to 6 of the HS, 8 of the CN, 10 of TARIC, 5 of the CPC, from the first on.',
  ),
  dates_out_of_order: createWarningRule(
    `${untp}, Product and Period`,
    'Correct {path}, or the date that is to be before it.',
  ),
  mass_fractions_exceed_one: createWarningRule(
    `${untp}, Material`,
    'Let massFraction of all elements of {path} add up to at most 1.',
  ),

  sheet_version_old: createWarningRule(
    ours,
    'Change {path}; the passport takes the version of the sheet in force with it. Until then the older one judges it.',
  ),
  model_not_linked: createWarningRule(ours, 'Create the passport of the model, or correct product.modelNumber.'),
  batch_not_linked: createWarningRule(ours, 'Create the passport of the batch, or correct product.batchNumber.'),
  batch_of_other_model: createErrorRule(
    ours,
    'Send in product.modelNumber the model that the batch is of, or in product.batchNumber a batch of that model.',
  ),
  batch_of_several_models: createErrorRule(
    ours,
    'Add product.modelNumber: a batch number is unique within its model only.',
  ),
  parent_not_published: createWarningRule(
    `${espr}, article 11`,
    'Publish the model or batch that {path} names too: readers of this passport are led to it.',
  ),
  parent_not_certified: createWarningRule(
    `${espr}, article 11`,
    'Certify the model or batch that {path} names too, or its data has no proof.',
  ),
  no_parent: createInfoRule(ours, 'Add product.modelNumber where the item is one of a model that has a passport.'),

  nothing_to_certify: createWarningRule(
    ours,
    'Name in certifiedPaths at least one path that has a value; else there is no signed credential.',
  ),
  certified_path_empty: createWarningRule(
    ours,
    'Add the value that {path} leads to, which is certified when it comes; or take it out of certifiedPaths.',
  ),
  not_published: createWarningRule(`${espr}, article 11`, 'Publish the passport: readers have to have access to it.'),
  not_certified: createWarningRule(
    `${espr}, article 11`,
    'Certify the passport, so that readers can tell that its data is genuine.',
  ),
  archived: createWarningRule(
    `${espr}, article 11`,
    'Nothing brings it back: an archived passport has no credential. Create another one.',
  ),
  revoked: createErrorRule(
    statusLists,
    'Nothing brings it back: whoever verifies its credential is told no. Create another passport.',
  ),
  suspended: createErrorRule(
    statusLists,
    'Lift the suspension: whoever verifies its credential is told no as long as it lasts.',
  ),
  parent_revoked: createErrorRule(
    statusLists,
    'Nothing brings it back. Let the passport be of another batch or model, or create another one.',
  ),
  parent_suspended: createErrorRule(
    statusLists,
    'Lift the suspension of the model or batch: readers of this passport are warned as long as it lasts.',
  ),
  key_revoked: createErrorRule(
    revokedKeys,
    'Certify the passport again: its certificate was signed with a key that is revoked, so whoever verifies it is told no.',
  ),
  anchor_lost: createErrorRule(
    anchoring,
    'Certify the passport again: the chain took the transaction back, and it did not succeed a second time.',
  ),
  did_document_missing: createErrorRule(
    didWeb,
    'Publish the document that the did:web configuration shows (GET /v1/dpp/certification-key/did-web-config): without '
      + 'it nobody else can verify what the organization signs. Signing goes on under the same identifier.',
  ),
  did_document_lacks_key: createErrorRule(
    didWeb,
    'Publish the document that the did:web configuration shows (GET /v1/dpp/certification-key/did-web-config) and have it '
      + 'checked, or set no domain: nothing is signed until the document has the key.',
  ),
  backup_copy_missing: createWarningRule(
    `${espr}, article 10`,
    'Have a copy kept by an independent provider of digital product passport services; a pinned IPFS copy is a start.',
  ),

  eu_gtin_missing: createWarningRule(
    `${espr}, Annex III(c)`,
    'Add product.gtin, or let product.id be a GS1 Digital Link with /01/; an equivalent identifier will do too.',
  ),
  eu_commodity_code_missing: createWarningRule(
    `${espr}, Annex III(d) and article 13(1)`,
    'Add to product.productCategory the code of the Harmonized System, Combined Nomenclature or TARIC.',
  ),
  eu_documents_missing: createWarningRule(
    `${espr}, Annex III(e) and (f)`,
    'Add to product.relatedDocument the declaration of conformity, technical documentation or instructions.',
  ),
  eu_manufacturer_missing: createWarningRule(
    `${espr}, Annex III(g)`,
    'Add to product.relatedParty the manufacturer, with its role.',
  ),
  eu_operator_identifier_missing: createWarningRule(
    `${espr}, Annex III(g) and article 12`,
    'Add {path}, the registered identifier of the manufacturer.',
  ),
  eu_operator_address_missing: createWarningRule(
    `${espr}, Annex III(g) and article 27(7)`,
    'Add {path}, the postal address of the manufacturer.',
  ),
  eu_facility_identifier_missing: createWarningRule(
    `${espr}, Annex III(i) and article 12`,
    'Add {path}, the registered identifier of the facility.',
  ),
  eu_importer_missing: createWarningRule(
    `${espr}, Annex III(j)`,
    'Add to product.relatedParty who brings the product into the Union, with the role importer.',
  ),

  cannot_tell: createInfoRule(
    ours,
    'Say it in {path} by a code, where it matters: words of names decide nothing here.',
  ),
  battery_not_an_item: createInfoRule(
    `${batteries}, article 77(1)`,
    'Make a passport with product.idGranularity item of each battery too, where it needs one: electric vehicles, light means of '
      + 'transport, industry above 2 kWh.',
  ),
  battery_manufacturing_date_missing: createWarningRule(`${partA}, point 4`, 'Add product.productionDate.'),
  battery_weight_missing: createWarningRule(`${partA}, point 5`, 'Add product.dimensions.weight.'),
  battery_capacity_missing: createWarningRule(
    `${partA}, point 6`,
    'Add data.capacity, or claim it in product.performanceClaim in AMH, WHR or KWH.',
  ),
  battery_chemistry_missing: createWarningRule(`${partA}, point 7`, 'Add data.chemistry.'),
  battery_materials_missing: createWarningRule(
    `${batteries}, Annex XIII point 1(b)`,
    'Add the materials to product.materialProvenance.',
  ),
  battery_carbon_footprint_missing: createWarningRule(
    `${batteries}, Annex XIII point 1(c) and article 7`,
    'Add data.carbonFootprint, or claim it in product.performanceClaim.',
  ),
} as const satisfies Record<string, Rule>

/** The kinds of errors that any value can have, with what to do about them. */
const fixesByKind = {
  required: 'Add {path}.',
  unknown_member: 'Take {path} out, or correct its name.',
  type: 'Send {path} as a value of the type that is asked for.',
  enum: 'Send {path} as one of the words that are listed.',
  format: 'Write {path} in the form that is asked for.',
  min_value: 'Send a larger or a later value in {path}.',
  max_value: 'Send a smaller or an earlier value in {path}.',
  min_length: 'Send a longer text in {path}.',
  max_length: 'Send a shorter text in {path}.',
  min_items: 'Send more elements in {path}.',
  max_items: 'Send fewer elements in {path}.',
  unique: 'Send each element of {path} once.',
  invalid: 'Correct {path}.',
  reserved: 'Take {path} out: it is made with the credential.',
  flow: 'Take {path} out, or make the passport from the other kind of product.',
  granularity: 'Take {path} out, or say in product.idGranularity what has such a number.',
  too_deep: 'Nest less than {path} does.',
  too_large: 'Keep large content of {path} elsewhere and link to it.',
  name: 'Give {path} another name.',
  unknown_path: 'Let {path} lead to a value, or take it out.',
  not_certifiable: 'Give {path} another name or another value, so that it can be certified.',
  not_found: 'Send in {path} the identifier of one of your own.',
  mismatch: 'Send in {path} the one that it belongs to, or leave it out.',
  taken: 'Send in {path} what no other passport of the application has.',
} as const

/** The source of the rule, for kinds of errors that any value can have. */
const rulesByFamily = {
  untp: `${untp}, JSON Schema of Product`,
  sheet: 'Field definitions of the sheet',
  passport: 'What creating a passport takes (NewPassport)',
} as const

export type RuleFamily = keyof typeof rulesByFamily
export type IssueKind = keyof typeof fixesByKind
export type FindingCode = keyof typeof ownRules | `${RuleFamily}_${IssueKind}`

const kindRules = Object.entries(rulesByFamily).flatMap(([family, rule]) =>
  Object.entries(fixesByKind).map(([kind, fix]) => [`${family}_${kind}`, createErrorRule(rule, fix)] as const),
)

/** The rules of all codes that a finding can have. */
export const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([...Object.entries(ownRules), ...kindRules])

export const isKind = (word: string): word is IssueKind => Object.hasOwn(fixesByKind, word)

/** The resource of the bridge that has the shape of UNTP's product. */
const untpResource = 'tessera://schemas/untp-product'

/** What a finding says of its own case, instead of what its rule says of every case. */
interface FindingDetails {
  /** Undefined if there is none of its own. */
  example?: unknown
  fix?: string
}

/** The maximum number of characters of a path and of a message in a finding. */
const maxLengths = { path: 500, message: 1_000 }

/**
 * Creates a finding with the severity, rule, fix and example of its code. It names the shape of UNTP's product if the
 * value breaks it, or if the example has parts that stand there.
 * @param what the description of the problem without its path, for example `is no country`
 */
export function createFinding(
  code: FindingCode,
  path: string,
  what: string,
  { example = createFindingExample(code, path), fix: ownFix }: FindingDetails = {},
): Finding {
  const { severity, rule, fix } = rules.get(code) as Rule
  const shownPath = path.slice(0, maxLengths.path)
  const message = `${path === '' ? 'The passport' : path} ${what}.`
  const isOfUntp =
    code.startsWith('untp_') || (/^product(?:$|\.)/.test(path) && typeof example === 'object' && example !== null)
  return {
    code,
    severity,
    path: shownPath,
    message: message.slice(0, maxLengths.message),
    rule,
    fix: (ownFix ?? fix).replaceAll('{path}', () => shownPath || 'the passport'),
    example,
    ...(isOfUntp && { schemaUri: untpResource }),
  }
}
