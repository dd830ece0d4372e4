/**
 * The guide for assistants, in Markdown, at most 1,500 tokens. `{name}` stands for an operation by its name in the
 * bridge. A line is left out where the document lacks one of the operations that it names.
 */
const lines = [
  '# Guide for assistants',
  '',
  'A passport is made in one of two flows. It belongs to an application: one of `{list_applications}`, or a new one by `{create_application}` with a `name`.',
  '',
  '## Sheet flow: many items of one product, with fields of your own',
  '1. `{create_dpp_product}`: the sheet. `passportsFields` define what each passport has, `certifiedPaths` name what is certified, `network` is fixed with the first mint.',
  '2. `{update_dpp_product}` with `status: "ACTIVE"`.',
  '3. `{mint_dpp_product}`: one published passport a row, and its token on the chain. One wrong row refuses all rows. Or `{create_dpp_passport}` with `product` (the id of the sheet) and `fields`: a draft, to be published.',
  '4. `{certify_dpp_passports}`: signs and anchors them.',
  '',
  '## Product flow: products described by UNTP 0.7.0',
  '1. `{validate_dpp_passport}`: what creating would be refused for, and what is missing. Nothing is stored.',
  '2. `{create_dpp_passport}` with `application`, `product` (an object: `name`, `idGranularity` of model, batch or item, and its numbers), `data` and `certifiedPaths`: a draft. Models, batches and items link by their numbers, in any order.',
  '3. `{get_dpp_passport_readiness}`: each finding has a path, a fix and an example. The shape of `product` is the resource `tessera://schemas/untp-product`.',
  '4. `{publish_dpp_passports}` with `filters`: publishes and certifies what they match, with the batches and items of models.',
  '',
  '## What certifies',
  'Only `{publish_dpp_passports}` and `{certify_dpp_passports}` sign. They certify the product and the values at `certifiedPaths`; where these are empty there is nothing to certify. A change at a certified path certifies again. Others check a certificate with `{verify_dpp_credential}`.',
  'Certificates name the organization by its domain only after `{set_did_web_config}`, publishing the DID document, and `{verify_did_web_config}`.',
  '',
  '## What cannot be undone',
  '- What was published is no draft again; what was archived stays so. What was minted or anchored stays on the chain. A minted passport cannot be deleted: archive it with `{update_dpp_passport}` (`status: "archived"`).',
  '- `{set_dpp_passport_status}` with `purpose: "revocation"`. A suspension can be lifted.',
  '- `{revoke_certification_key}`: certificates of the key fail. `{rotate_certification_key}` keeps them valid.',
  '- `{delete_dpp_passport}` with `id`, `{delete_dpp_passports}` with `filters`, `{delete_dpp_product}`, and `{delete_application}` with `appId` when nothing is left in it.',
  '- `{get_dpp_passport_magic_token}` with `id` hands out a secret: whoever has it can claim the passport once.',
  'Tools that touch many, money or keys show first what they would do. Where you get `{"preview", "confirm"}`, show the preview to the user, and only when they agree call again with the same arguments and `confirm`. `dryRun: true` shows it without asking.',
  '',
  '## Lists and filters',
  '- `filters: {"status": {"eq": "draft"}}`, `sorters: {"createdAt": "desc"}`; the description of a list names its fields and operators. In the address of a resource both are URL-encoded JSON.',
  '- `{list_dpp_passports}` and its like: `fields=id,status,product.name` answers these members only. `pageSize` is at most 100; go on with `cursor`.',
  '- A tool for many needs `filters`; `filters: []` means all. Name the things: `{"id": {"eq": "<id>"}}`, or all of one application: `{"application.id": {"eq": "<id>"}}`.',
  '',
  '## Imports',
  '- `{import_table}` with `application` and `text`: a pasted table up to 1 MiB in one call. With `dryRun: true` it shows the mapping, the passports and what is unclear. Settle that with the user, then call without it.',
  '- `{import_table}` with `format: "json"`: an array of bodies as `{create_dpp_passport}` takes them, without `application`. It needs no mapping.',
  '- `{create_import}`: a file. CSV needs a mapper: `{suggest_import_mapping}`, `{preview_import_mapper}`, `{create_import_mapper}`.',
  '- A wrong row fails alone; read `{get_import_report}`. Rows that exist already are skipped, or changed with `onDuplicate: "update"`.',
  '',
  '## Points',
  '- `{mint_loyalty_points}` and `{burn_loyalty_points}` with the `id` of an account and `amount`: the balance changes at once, the chain follows. A `reference` of yours, such as an order number, counts once. `{list_loyalty_ledger}` explains each balance.',
  '- `{create_account_assignment}` gives points or a tier to an e-mail address or a phone number that has no account yet.',
  '',
  '## Jobs, repeats and failures',
  '- A tool that starts a job answers its final state where the client follows its progress and it ends within a minute, an import in any case; else read `{get_job}` until `status` is completed or failed.',
  '- The same call within ten minutes does nothing twice: it answers the first answer again. `again: true` does it once more on purpose. After a lost answer repeat the call unchanged.',
  '- A refusal names the path of what is wrong and what to do next. Nothing of a refused call was done.',
  '- `#bytes=<first>-<last>` behind an address reads a part of what is larger than 256 KiB.',
]

/** Creates the guide for a document with these operations, named as in the bridge. */
export function createGuide(operationNames: ReadonlySet<string>): string {
  const isComplete = (line: string) =>
    [...line.matchAll(operationPattern)].every(([, name]) => operationNames.has(name ?? ''))
  const complete = lines.filter(isComplete).map((line) => line.replaceAll(operationPattern, '$1'))
  const kept = complete.filter((line, index) => !line.startsWith('## ') || hasLine(complete[index + 1]))
  return `${kept.join('\n').replace(/\n{3,}/g, '\n\n')}\n`
}

/** Matches the name of an operation in a line. Other braces of the text hold quotes. */
const operationPattern = /\{([a-z][a-z0-9_]*)\}/g

/** Returns whether there is a line of text that a heading could stand over. */
const hasLine = (line: string | undefined) => line !== undefined && line !== '' && !line.startsWith('#')
