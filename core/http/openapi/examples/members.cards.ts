const pem = (label: string, lines: string) => `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`

/** Examples of cards and of the credentials of wallets, by the member or by its object and the member. */
export const cardExamples: Readonly<Record<string, unknown>> = {
  certificate: pem('CERTIFICATE', 'MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ'),
  privateKey: pem('PRIVATE KEY', 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'),
  // Of one wallet at a time.
  'NewWalletCredentials.serviceAccount': undefined,
  private_key: pem('PRIVATE KEY', 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'),
  private_key_id: '8b1a9953c4611296a827abf8c47804d7',
  client_email: 'cards@alba-bags.iam.gserviceaccount.com',
  // Of one wallet at a time.
  'WalletCredentials.clientEmail': undefined,
  'WalletCredentials.issuerId': undefined,
}
