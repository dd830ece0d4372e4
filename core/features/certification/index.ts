import type { JobDeclaration } from '../../kernel/job.ts'
import type { Operation } from '../../kernel/operation.ts'
import { didWebOperations } from './did-web.operations.ts'
import { rotateJob } from './keys.jobs.ts'
import { keyOperations } from './keys.operations.ts'

export const certificationOperations: Operation[] = [...keyOperations, ...didWebOperations]
export const certificationJobs: JobDeclaration<unknown>[] = [rotateJob]

export { credentialTypes, negotiate, type CredentialType } from './accept.ts'
export { contentHash, type CertifiedContent } from './content.ts'
export { contentFaults, readContext } from './contexts.ts'
export { minimalCredential, presentUntp, type UntpName } from './credential.ts'
export { hashOfHosted, hostedForm, hostedLimits, hostedTypes } from './hosted.ts'
export { fetchFromGateway } from './ipfs.ts'
export { buildCredential, credentialAddress, issueCredentials, passportAddress, type Issued, type Subject } from './issue.ts'
export { registerKeyOn } from './keys.records.ts'
export { lockKeys } from './keys.rows.ts'
export { ensureCertificationKey, signingKey, type SigningKey } from './keys.ts'
export { readStatusList } from './status-lists.reads.ts'
export { settleKeys } from './keys.settle.ts'
