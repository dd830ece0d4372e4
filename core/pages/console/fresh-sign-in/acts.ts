/** Fields of a form as they were sent. */
export type SentFields = Readonly<Record<string, unknown>>

/** A form of the console that is taken only from a member who signed in within the last 12 hours. */
export type GuardedForm = {
  /** Whether the fields ask for the act itself; some forms first ask what it would do, or do it only as a trial. */
  does?: (fields: SentFields) => boolean
} & (
  | {
      /** What it does cannot be undone, or only at a price: something is deleted, revoked, archived or minted. */
      kind: 'irreversible'
      /** The page that says what will happen: it asks for the code too, so that nothing is written in vain. */
      question: string
    }
  | {
      /** It moves points or promises them, or decides who may act or sign in. */
      kind: 'money' | 'access'
      question?: string
    }
)

/** The forms of the console that ask for a fresh code, by the id of their operation. */
export const guardedForms: Readonly<Record<string, GuardedForm>> = {
  // Products
  console_passport_delete_page_v1: { kind: 'irreversible', question: 'console_passport_delete_question_v1' },
  console_passport_status_page_v1: { kind: 'irreversible', question: 'console_passport_status_question_v1' },
  console_passport_link_end_page_v1: { kind: 'irreversible', question: 'console_passport_link_end_question_v1' },
  console_passports_bulk_page_v1: { kind: 'irreversible', question: 'console_passports_bulk_question_v1' },
  console_sheet_status_page_v1: { kind: 'irreversible', question: 'console_sheet_status_question_v1' },
  console_sheet_delete_page_v1: { kind: 'irreversible', question: 'console_sheet_delete_question_v1' },
  console_sheet_mint_write_page_v1: {
    kind: 'irreversible',
    question: 'console_sheet_mint_page_v1',
    does: ({ act }) => act === 'mint',
  },
  console_import_start_page_v1: {
    kind: 'irreversible',
    question: 'console_import_preview_page_v1',
    does: ({ what }) => what === 'import',
  },
  console_mapping_run_page_v1: { kind: 'irreversible', question: 'console_mapping_run_question_v1' },
  console_mapping_delete_page_v1: { kind: 'irreversible', question: 'console_mapping_delete_question_v1' },
  console_certification_rotate_page_v1: { kind: 'irreversible', question: 'console_certification_rotate_question_v1' },
  console_certification_revoke_page_v1: { kind: 'irreversible', question: 'console_certification_revoke_question_v1' },
  console_certification_domain_remove_page_v1: {
    kind: 'irreversible',
    question: 'console_certification_domain_remove_question_v1',
  },
  // Customers
  console_account_points_page_v1: { kind: 'money' },
  console_account_delete_page_v1: { kind: 'irreversible', question: 'console_account_delete_question_v1' },
  console_tier_delete_page_v1: { kind: 'irreversible', question: 'console_tier_delete_question_v1' },
  console_point_of_sale_delete_page_v1: { kind: 'irreversible', question: 'console_point_of_sale_delete_question_v1' },
  // Whoever knows the key and the secret of the till reports orders, which earn points.
  console_pos_settings_update_page_v1: { kind: 'money' },
  console_assignment_create_page_v1: { kind: 'money' },
  console_assignment_update_page_v1: { kind: 'money' },
  console_assignment_delete_page_v1: { kind: 'irreversible', question: 'console_assignment_delete_question_v1' },
  console_assignment_start_page_v1: {
    kind: 'money',
    question: 'console_assignment_preview_page_v1',
    does: ({ what }) => what === 'import',
  },
  // What was sent to a phone cannot be called back.
  console_campaign_send_page_v1: { kind: 'irreversible', question: 'console_campaign_send_question_v1' },
  console_campaign_schedule_page_v1: { kind: 'irreversible', question: 'console_campaign_schedule_question_v1' },
  console_campaign_resume_page_v1: { kind: 'irreversible', question: 'console_campaign_resume_question_v1' },
  console_campaign_delete_page_v1: { kind: 'irreversible', question: 'console_campaign_delete_question_v1' },
  console_demo_remove_page_v1: { kind: 'irreversible', question: 'console_demo_remove_question_v1' },
  // Company
  console_billing_portal_page_v1: { kind: 'money' },
  console_billing_change_page_v1: { kind: 'money' },
  console_member_update_page_v1: { kind: 'access' },
  console_member_remove_page_v1: { kind: 'irreversible', question: 'console_member_remove_question_v1' },
  console_invitation_create_page_v1: { kind: 'access' },
  console_key_create_page_v1: { kind: 'access', question: 'console_key_new_page_v1' },
  console_key_rotate_page_v1: { kind: 'irreversible', question: 'console_key_rotate_question_v1' },
  console_key_revoke_page_v1: { kind: 'irreversible', question: 'console_key_revoke_question_v1' },
  console_organization_settings_change_page_v1: { kind: 'access' },
  console_application_delete_page_v1: { kind: 'irreversible', question: 'console_application_delete_question_v1' },
  // With these credentials messages go to the phones of customers.
  console_wallet_set_page_v1: { kind: 'access' },
  console_wallet_remove_page_v1: { kind: 'irreversible', question: 'console_wallet_remove_question_v1' },
  console_organization_delete_page_v1: { kind: 'irreversible', question: 'console_organization_delete_question_v1' },
  console_session_end_page_v1: { kind: 'irreversible', question: 'console_session_end_question_v1' },
  console_sessions_end_page_v1: { kind: 'irreversible', question: 'console_sessions_end_question_v1' },
}

/** The forms of the console that need no fresh code: what they do can be done again or taken back. */
export const freeForms: ReadonlySet<string> = new Set([
  // Signing in, and what a person decides about themselves
  'console_code_page_v1',
  'console_session_page_v1',
  'console_code_again_page_v1',
  'console_session_again_page_v1',
  'console_sign_out_page_v1',
  'console_language_page_v1',
  'console_organization_page_v1',
  'console_organization_create_page_v1',
  'console_organization_restore_page_v1',
  'console_legal_accept_page_v1',
  'console_invitation_accept_page_v1',
  'console_invitation_decline_page_v1',
  // An invitation that was withdrawn can be sent again.
  'console_invitation_withdraw_page_v1',
  // Drafts, contents and settings, which change back
  'console_passport_create_page_v1',
  'console_passport_update_page_v1',
  'console_passport_link_page_v1',
  'console_report_handle_page_v1',
  // The link that an approval sends works once, and can be ended before.
  'console_claim_request_decide_page_v1',
  'console_sheet_create_page_v1',
  'console_sheet_update_page_v1',
  'console_sheet_values_change_page_v1',
  'console_certification_forms_page_v1',
  'console_certification_domain_set_page_v1',
  'console_certification_domain_check_page_v1',
  'console_account_profile_page_v1',
  'console_tier_create_page_v1',
  'console_tier_update_page_v1',
  'console_campaign_create_page_v1',
  'console_campaign_update_page_v1',
  // It is a draft again, and can be scheduled anew.
  'console_campaign_cancel_page_v1',
  'console_point_of_sale_create_page_v1',
  'console_point_of_sale_update_page_v1',
  'console_job_retry_page_v1',
  'console_application_create_page_v1',
  'console_application_check_page_v1',
  'console_application_update_page_v1',
  'console_branding_update_page_v1',
  // A form that was kept harms nobody, and the same file is kept once.
  'console_branding_opt_in_page_v1',
  'console_mapping_update_page_v1',
  // What a demo makes is taken away on its own page.
  'console_demo_start_page_v1',
  'console_demo_prepare_page_v1',
  // The steps before an import begins
  'console_import_upload_page_v1',
  'console_import_choose_page_v1',
  'console_import_map_page_v1',
  'console_import_fix_page_v1',
  'console_import_sample_page_v1',
  'console_assignment_file_page_v1',
  'console_assignment_table_write_page_v1',
  'console_assignment_map_page_v1',
])
