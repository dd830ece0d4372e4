import type { ClaimWords } from '../words.types.ts'

export const claiming: ClaimWords = {
  title: (name) => `Revendiquer ${name}`,
  intro: 'Cet article peut être inscrit à votre nom. Connectez-vous avec un code, puis revendiquez-le.',
  email: 'Votre adresse e-mail',
  sendCode: 'Envoyez-moi un code',
  callingCode: 'Indicatif du pays',
  phone: 'Votre numéro de téléphone',
  textCode: 'Envoyez-moi un code par SMS',
  withGoogle: 'Continuer avec Google',
  withBrand: (brand) => `Continuer avec votre compte ${brand}`,
  lookFirst: 'Voir d’abord le passeport',
  sentTo: 'Nous avons envoyé six chiffres à',
  goodFor: 'Ils sont valables 10 minutes.',
  code: 'Votre code',
  signIn: 'Se connecter',
  anotherCode: 'Envoyer un autre code',
  signedIn: 'Vous êtes connecté.',
  signedInAs: 'Vous êtes connecté en tant que',
  once: 'Le jeton de ce passeport passe dans votre portefeuille ici. Cela n’a lieu qu’une fois.',
  onceByLink:
    'Le jeton de ce passeport passe dans votre portefeuille ici. Cela n’a lieu qu’une fois, et le lien cesse de fonctionner.',
  button: 'Le revendiquer',
  refusals: {
    AUTH_INVALID_OTP: 'Ce code est faux ou n’est plus valable. Cherchez le message le plus récent.',
    VALIDATION_FAILED: 'Vérifiez ce que vous avez saisi\u00a0: ce n’est pas une adresse ou un numéro valable.',
    DPP_CLAIM_NOT_ALLOWED:
      'Le vendeur n’a pas indiqué cette adresse pour l’article. Utilisez-en une autre, ou demandez un lien.',
    DPP_PASSPORT_NOT_CLAIMABLE: 'Cet article ne peut pas être revendiqué en ce moment.',
    DPP_MAGIC_TOKEN_INVALID: 'Le lien a déjà servi, a expiré, ou n’est pas complet.',
    QUOTA_EXCEEDED: 'La formule de l’organisation ne permet rien de plus ce mois-ci.',
    RATE_LIMITED: 'Trop de demandes. Attendez un moment, puis réessayez.',
  },
  refused: 'Cela n’a pas fonctionné. Réessayez un peu plus tard, ou demandez à la boutique.',
  broken: {
    head: 'Ce lien ne fonctionne pas',
    text: 'Il a déjà servi, a expiré, ou n’a pas été copié en entier. Demandez-en un nouveau à la boutique.',
    see: 'Voir le passeport',
  },
  closed: {
    head: 'Impossible à revendiquer',
    text: 'Cet article n’existe pas, a déjà un propriétaire, ou n’est pas proposé à la revendication.',
  },
  waiting: {
    head: 'Revendication en cours…',
    text: 'Votre passeport vous est transmis. Cela prend quelques secondes\u00a0; la page se met à jour d’elle-même.',
    bar: 'Revendication en cours',
  },
  done: {
    head: 'Il est à vous',
    text: 'Le passeport a été revendiqué et son jeton est dans votre portefeuille.',
    transaction: 'Transaction',
    token: 'Jeton',
    see: 'Voir votre passeport',
    all: 'Tous vos passeports et vos points',
  },
  failed: {
    head: 'Cela n’a pas fonctionné',
    text: 'La revendication a échoué.',
    again: 'Rien n’est perdu\u00a0: il peut être revendiqué à nouveau. Recommencez, ou demandez à la boutique.',
  },
}
