/** Proofs and their suites, loaded with the first proof: a process starts sooner without them. */
export const loadProofs = () => import('@digitalbazaar/data-integrity')
export const loadJcs = () => import('@digitalbazaar/eddsa-jcs-2022-cryptosuite')
