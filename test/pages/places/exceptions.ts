/** Why an operation that a member can call has no place of its own in the console. */
export interface PlaceException {
  reason: string
  /** The page that shows or does the same by other functions, as the crawl has to find it. */
  page?: string
}

const forBuyers = 'Signs in the buyers of an application, on the pages for them.'
const forVerifiers = 'Whoever verifies a credential reads it by its address, which the credential names.'
const forPrograms = 'Programs follow a job by it; pages show its state when they are opened again.'

/** Operations that members can call and that no page of the console calls, by id. */
export const placeExceptions: Readonly<Record<string, PlaceException>> = {
  send_otp_v1: { reason: forBuyers },
  verify_otp_v1: { reason: forBuyers },
  sign_in_google_v1: { reason: forBuyers },
  sign_in_auth0_v1: { reason: forBuyers },
  create_signup_intent_v1: { reason: 'For sign-up forms on pages of others; ours asks with the organization.' },
  get_session_v1: { reason: 'Tells a program who it is. Every page of the console names the member.' },
  list_organizations_v1: {
    reason: 'The page reads the memberships without the envelope of a list.',
    page: 'console_organizations_page_v1',
  },
  list_legal_documents_v1: {
    reason: 'The page shows those that are to be accepted, with their texts.',
    page: 'console_organization_new_page_v1',
  },
  get_dpp_product_v1: { reason: 'The page reads the sheet as its owner.', page: 'console_sheet_page_v1' },
  get_dpp_passport_v1: { reason: 'The page reads the passport as its owner.', page: 'console_passport_page_v1' },
  get_dpp_vocabulary_v1: { reason: forVerifiers },
  get_dpp_context_v1: { reason: forVerifiers },
  verify_dpp_credential_v1: {
    reason: 'For whoever is shown a credential. The public page of a passport checks its own.',
  },
  list_dpp_readiness_v1: {
    reason: 'The page judges the passports a part at a time, so that it is quick with any number of them.',
    page: 'console_passports_readiness_page_v1',
  },
  build_dpp_passport_vc_v1: { reason: 'For programs that sign by themselves; the console certifies.' },
  validate_dpp_passport_v1: {
    reason: 'The form for a passport says the same when it is refused, and readiness is shown once it is made.',
    page: 'console_passport_new_page_v1',
  },
  report_dpp_passport_v1: {
    reason: 'For whoever holds a product, on the public page for reports. Members handle what was reported.',
    page: 'console_reports_page_v1',
  },
  contest_gtin_v1: { reason: 'Rare, and told to operators, who decide. Programs and assistants can call it.' },
  create_import_v1: { reason: 'The page takes the file step by step.', page: 'console_import_start_page_v1' },
  import_table_v1: {
    reason: 'The page takes a table that is pasted, and asks before it begins.',
    page: 'console_assignment_table_write_page_v1',
  },
  follow_import_v1: { reason: forPrograms, page: 'console_import_page_v1' },
  create_import_mapper_v1: { reason: 'Saved when an import begins.', page: 'console_import_start_page_v1' },
  preview_import_mapper_v1: {
    reason: 'The page shows the first rows of the file by the mapping.',
    page: 'console_import_preview_page_v1',
  },
  suggest_import_mapping_v1: {
    reason: 'The page suggests for the file that it keeps.',
    page: 'console_import_mapping_page_v1',
  },
  get_job_v1: { reason: forPrograms, page: 'console_passports_job_page_v1' },
  follow_job_v1: { reason: forPrograms },
  list_loyalty_ledger_v1: {
    reason: 'The page reads the statement with its balances.',
    page: 'console_account_page_v1',
  },
  list_loyalty_reward_tiers_v1: {
    reason: 'The page reads the tiers with the number of accounts in each.',
    page: 'console_tiers_page_v1',
  },
  get_loyalty_reward_tier_v1: { reason: 'The page reads the tier as it shows it.', page: 'console_tier_page_v1' },
}

const afterFile = 'A step that begins when a file or a table was sent.'
const again = 'Asked before an act that cannot be undone, if the sign-in is older than 12 hours.'

const reported = 'Offered once somebody has reported a passport.'
const madeDemo = 'Offered once a demo environment was made.'

/** Pages of the console that no link of the first page leads to, each with what does. */
export const pagesAfterForms: Readonly<Record<string, string>> = {
  console_session_page_v1: 'The form for the code, after an address was sent.',
  console_organization_restore_page_v1: 'Offered to the last owner of an organization that was deleted.',
  console_sign_in_again_page_v1: again,
  console_code_again_page_v1: again,
  console_session_again_page_v1: again,
  console_invitation_page_v1: 'The mail of an invitation leads there.',
  console_invitation_accept_page_v1: 'On the page of an invitation.',
  console_invitation_decline_page_v1: 'On the page of an invitation.',
  console_legal_accept_page_v1: 'On the page of the documents, for whoever has not accepted them yet.',
  console_application_delete_page_v1: 'On the page before it, for an application without passports and accounts.',
  console_import_choice_page_v1: afterFile,
  console_import_choose_page_v1: afterFile,
  console_import_mapping_page_v1: afterFile,
  console_import_map_page_v1: afterFile,
  console_import_preview_page_v1: afterFile,
  console_import_fix_page_v1: 'Offered by a preview in which rows fail.',
  console_import_start_page_v1: afterFile,
  console_assignment_columns_page_v1: afterFile,
  console_assignment_map_page_v1: afterFile,
  console_assignment_preview_page_v1: afterFile,
  console_assignment_start_page_v1: afterFile,
  console_assignment_report_page_v1: afterFile,
  console_mapping_run_question_v1: 'On the page of a mapping that fetches an address.',
  console_mapping_run_page_v1: 'On the page of a mapping that fetches an address.',
  console_import_errors_v1: 'Offered by the report of an import that has warnings or errors.',
  console_passport_link_end_question_v1: 'Offered once a claim link was made.',
  console_passport_link_end_page_v1: 'Offered once a claim link was made.',
  console_job_retry_page_v1: 'Offered for a job that failed.',
  console_reports_file_v1: reported,
  console_report_handle_page_v1: reported,
  console_claim_request_decide_page_v1: 'On a request that somebody has made for a passport.',
  console_sheet_values_change_page_v1: 'The form of a sheet that has fields which can be filled in.',
  console_sheet_job_page_v1: 'Shown when a batch is minted.',
  console_certification_domain_check_page_v1: 'Offered once a domain was set.',
  console_certification_domain_remove_question_v1: 'Offered once a domain was set.',
  console_certification_domain_remove_page_v1: 'Offered once a domain was set.',
  console_billing_page_v1: 'The link of a portal session, which opens once.',
  console_billing_change_page_v1: 'On the page that such a link opens, in development.',
  console_campaign_audience_v1: 'The script of the form asks for it while somebody writes.',
  console_campaign_cancel_page_v1: 'On the page of a scheduled campaign.',
  console_campaign_resume_question_v1: 'On the page of a campaign that stopped.',
  console_campaign_resume_page_v1: 'On the page of a campaign that stopped.',
  console_campaign_deliveries_file_v1: 'Offered once a campaign was sent.',
  console_wallet_remove_question_v1: 'Offered once credentials of a wallet are set.',
  console_wallet_remove_page_v1: 'Offered once credentials of a wallet are set.',
  console_demo_page_v1: madeDemo,
  console_demo_prepare_page_v1: madeDemo,
  console_demo_remove_question_v1: madeDemo,
  console_demo_remove_page_v1: madeDemo,
}
