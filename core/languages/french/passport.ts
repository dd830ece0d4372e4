import type { PassportWords } from '../words.types.ts'
import { format } from './numerals.ts'

/** The French texts, with a space that does not break before punctuation marks of two parts. */
export const passport: PassportWords = {
  title: (name) => `${name}\u00a0: passeport produit`,
  status: {
    published: 'Publié',
    claimed: 'Revendiqué par son propriétaire',
    archived: 'Archivé\u00a0: n’est plus tenu à jour',
  },
  standing: {
    verified: {
      head: 'Certifié et vérifié',
      text: () =>
        'Notre serveur vient de vérifier le certificat\u00a0: la signature, la clé, l’état et '
        + 'l’inscription sur la chaîne sont en ordre.',
    },
    failed: {
      head: 'Certifié, mais la vérification a échoué',
      text: () =>
        'Ne vous fiez pas au certificat. Notre serveur vient de le vérifier, et ceci n’est pas en ordre\u00a0:',
    },
    suspended: {
      head: 'Certificat suspendu',
      text: () => 'Son émetteur a suspendu le certificat. D’ici la fin de la suspension, ne vous y fiez pas.',
    },
    revoked: {
      head: 'Certificat révoqué',
      text: () => 'Son émetteur a retiré le certificat définitivement. Ne vous y fiez pas.',
    },
    none: {
      head: 'Non certifié',
      text: (organization) => `Rien ici n’est certifié\u00a0: ce sont les indications de ${organization}.`,
    },
    pending: {
      head: 'Certification en cours',
      text: (organization) => `Rien ici n’est encore certifié\u00a0: ce sont les indications de ${organization}.`,
    },
    unreachable: {
      head: 'Certifié, mais non vérifié',
      text: () => 'Le certificat est hors de portée en ce moment et n’a pas pu être vérifié. Réessayez plus tard.',
    },
    unknown: {
      head: 'Certifié, mais impossible à juger en ce moment',
      text: () => 'Rien ne contredit le certificat, mais il n’a pas pu être entièrement vérifié. Réessayez plus tard.',
    },
    archived: {
      head: 'N’est plus certifié',
      text: () => 'Ce passeport a été certifié. Il est maintenant archivé, et son certificat n’est plus fourni.',
    },
  },
  hostedOutOfReach:
    'Son organisation conserve le certificat elle-même. Il y est hors de portée, absent, ou différent de celui qui a été certifié.',
  renewing: 'Quelque chose a changé depuis\u00a0: une nouvelle version est en cours de certification.',
  notInOrder: 'Pas en ordre\u00a0:',
  notChecked: 'Impossible à juger en ce moment\u00a0:',
  checkedOn: (day) => `Vérifié le ${day}.`,
  whatWasChecked: 'Ce qui a été vérifié',
  checks: {
    proof: { good: 'La signature correspond au contenu.', bad: 'La signature ne correspond pas au contenu.' },
    issuer: {
      good: 'L’émetteur est bien celui à qui la clé appartient.',
      bad: 'L’émetteur ne peut pas être confirmé.',
    },
    key: { good: 'La clé a le droit de signer.', bad: 'La clé n’a pas le droit de signer, ou ne l’a plus.' },
    status: {
      good: 'Il n’est ni révoqué ni suspendu.',
      bad: 'Il est révoqué ou suspendu, ou son état ne peut pas être lu.',
    },
    validity: { good: 'Il est valable aujourd’hui.', bad: 'Il n’est pas valable aujourd’hui.' },
    anchor: { good: 'Son empreinte figure sur la chaîne.', bad: 'Son empreinte ne figure pas sur la chaîne.' },
    schema: { good: 'Il est complet selon l’UNTP.', bad: 'Il n’est pas complet selon l’UNTP.' },
  },
  mark: 'certifié',
  issuer: 'Émetteur',
  byDomain: (domain) => `sous le domaine ${domain}`,
  withoutDomain: 'une clé sans domaine',
  keptBy: (organization) => `conservé par ${organization}`,
  certified: 'Certifié le',
  credential: 'Certificat',
  withProof: 'avec sa preuve (JSON-LD)',
  asToken: 'sous forme de jeton (JWT)',
  receipt: 'Reçu',
  receiptLink: 'son reçu sur la chaîne',
  yes: 'Oui',
  no: 'Non',
  more: (count) => `${format(count)} de plus`,
  whole: 'En entier',
  belongsTo: 'Appartient à',
  parents: { model: 'Modèle', batch: 'Lot' },
  claim: {
    head: 'Est-il à vous\u00a0?',
    text: 'Cet article n’a pas encore de propriétaire. Il y a deux façons de le mettre à votre nom.',
    withLink: 'J’ai un lien',
    linkHead: 'Avec le lien ou le code qui l’accompagnait',
    field: 'Votre lien',
    button: 'Le revendiquer',
    wrong: 'Ce n’est pas un lien de revendication. Copiez-le en entier, tel qu’il vous a été envoyé.',
    without: {
      head: 'Sans lien',
      text: (brand) =>
        `Connectez-vous. Si ${brand} connaît votre adresse ou votre numéro de téléphone grâce à votre achat, l’article est aussitôt à vous. Sinon, vous pouvez le demander à ${brand}.`,
    },
  },
  onChain: 'Sur la chaîne',
  passport: 'Passeport',
  token: 'Jeton',
  network: 'Réseau',
  owner: 'Propriétaire',
  contract: 'Contrat',
  minted: 'Émis',
  notYet: 'Pas encore',
  history: 'Historique',
  historyLink: 'Tout l’historique en données',
  events: { mint: 'Émis', claim: 'Revendiqué', transfer: 'Transmis' },
  from: 'de',
  to: 'à',
  transaction: 'par',
}
