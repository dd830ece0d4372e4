export { getHostedForm, hashHostedContent, hostedFetchLimits, hostedMediaTypes } from './hosted.ts'
export { createRdfcForms, type StoredCredential } from './issue.rdfc.ts'
export {
  type CertificationSubject,
  createDetachedCredential,
  getCredentialAddress,
  getPassportAddress,
  issueCredentials,
  type IssuedCredential,
} from './issue.ts'
