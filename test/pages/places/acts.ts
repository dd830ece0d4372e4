import type { OperationDeclaration } from '../../../core/kernel/operation.ts'

/** Words of an id that say that something ends for good, or that points or tokens come or go. */
const gravePattern =
  /(^|_)(archive|burn|cancel|close|delete|end|erase|mint|remove|revoke|rotate|transfer|withdraw)(_|$)/

/** Operations that promise points or give access, which no hint and no word of their ids says. */
const grants: ReadonlySet<string> = new Set(['create_account_assignment_v1', 'create_invitation_v1'])

export const hasGraveName = (id: string): boolean => gravePattern.test(id)

/** Whether the document calls an operation destructive. Source: MCP tool annotations; PATCH, PUT and DELETE are by default. */
export const isDestructive = ({ method, document: { mcpHints = {} } }: OperationDeclaration): boolean =>
  mcpHints.destructiveHint ?? (method === 'PATCH' || method === 'PUT' || method === 'DELETE')

/**
 * Whether an operation cannot be undone, moves points or tokens, or gives access, by what its declaration says: it is
 * destructive, or reaches a world that is not ours, such as a chain, or its id says so.
 */
export function isGrave(operation: OperationDeclaration): boolean {
  const { id, document } = operation
  const { readOnlyHint = operation.method === 'GET', openWorldHint = false } = document.mcpHints ?? {}
  return !readOnlyHint && (isDestructive(operation) || openWorldHint || hasGraveName(id) || grants.has(id))
}

const changesBack = 'Writes contents or settings, which can be written back.'
const looks = 'Looks at a domain again, and changes nothing that was proven.'

/** Forms that need no fresh code although an operation that they call is grave, or their name is, each with the reason. */
export const graveExceptions: Readonly<Record<string, string>> = {
  console_application_update_page_v1: changesBack,
  console_branding_update_page_v1: changesBack,
  console_branding_opt_in_page_v1: 'Keeps a file under the address that its bytes give it, and changes nothing else.',
  console_mapping_update_page_v1: changesBack,
  console_application_check_page_v1: looks,
  console_invitation_withdraw_page_v1: 'The invitation can be sent again.',
  console_passport_update_page_v1: changesBack,
  console_sheet_update_page_v1: changesBack,
  console_sheet_values_change_page_v1: changesBack,
  console_account_profile_page_v1: changesBack,
  console_tier_update_page_v1: changesBack,
  console_point_of_sale_update_page_v1: changesBack,
  console_campaign_update_page_v1: changesBack,
  console_campaign_cancel_page_v1: 'It is a draft again, and can be scheduled anew.',
  console_certification_forms_page_v1: changesBack,
  console_certification_domain_set_page_v1: 'A domain that is set proves nothing before it is checked.',
  console_certification_domain_check_page_v1: looks,
}

/** What a form does that no operation does, and whether a member needs a fresh code for it. */
interface OwnForm {
  needsCode: boolean
  does: string
}

const code = (does: string): OwnForm => ({ needsCode: true, does })
const free = (does: string): OwnForm => ({ needsCode: false, does })
const beforeImport = 'A step before an import begins, which makes nothing of it.'

/** The forms that change something as no operation of the document does. */
export const ownForms: Readonly<Record<string, OwnForm>> = {
  console_session_again_page_v1: free('Signs a person in.'),
  console_language_page_v1: free('Chooses a language.'),
  console_organization_restore_page_v1: free('Takes back that an organization was deleted.'),
  console_key_create_page_v1: code('Gives a program access.'),
  console_key_rotate_page_v1: code('Ends the old secret of a key.'),
  console_key_revoke_page_v1: code('Ends a key for ever.'),
  console_billing_change_page_v1: code('Changes the plan that is paid.'),
  console_passport_link_page_v1: free('Makes the link by which a passport is claimed, which can be ended.'),
  console_claim_request_decide_page_v1: free('Sends the link by which a passport is claimed, which can be ended.'),
  console_report_handle_page_v1: free('Marks a report of a visitor as handled, or as waiting again.'),
  console_import_upload_page_v1: free(beforeImport),
  console_import_choose_page_v1: free(beforeImport),
  console_import_map_page_v1: free(beforeImport),
  console_import_fix_page_v1: free(beforeImport),
  console_import_sample_page_v1: free(beforeImport),
  console_import_start_page_v1: code('Makes and changes as many passports as the file has.'),
  console_assignment_file_page_v1: free(beforeImport),
  console_assignment_table_write_page_v1: free(beforeImport),
  console_assignment_map_page_v1: free(beforeImport),
  console_assignment_start_page_v1: code('Gives points to as many people as the table has.'),
  console_demo_start_page_v1: free('Makes a demo, which is taken away on its own page.'),
  console_demo_prepare_page_v1: free('Makes more of a demo.'),
  console_demo_remove_page_v1: code('Takes a demo away with all that was made in it.'),
  console_job_retry_page_v1: free('Begins again what was begun before.'),
}
