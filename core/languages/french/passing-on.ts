import type { PassingOnWords } from '../passing-on.types.ts'

export const passingOn: PassingOnWords = {
  action: 'Le transmettre',
  title: (name) => `Transmettre\u00a0: ${name}`,
  head: 'Le transmettre',
  intro: 'La personne que vous nommez devient propriétaire de cet article dès qu’elle accepte.',
  prove: 'Avant de céder quelque chose, montrez que c’est bien vous\u00a0: connectez-vous avec un nouveau code.',
  email: 'Son adresse e-mail',
  offerByEmail: 'Le proposer par e-mail',
  callingCode: 'Indicatif du pays',
  phone: 'Son numéro de téléphone',
  offerByPhone: 'Le proposer par SMS',
  note: (days) =>
    `Elle reçoit un message avec un lien valable ${days} jours. L’article reste à vous tant qu’elle n’a pas accepté, et vous pouvez retirer l’offre jusque-là.`,
  notYours: {
    head: 'Cet article n’est pas à vous',
    text: 'Seul le propriétaire d’un article le transmet. Connectez-vous avec l’adresse avec laquelle vous l’avez réclamé.',
  },
  closed: {
    head: 'Cet article ne peut pas être transmis',
    text: 'Il est déjà proposé à quelqu’un, archivé ou retiré par son fabricant, ou sur un réseau où les propriétaires ne changent pas.',
  },
  back: 'Retour au passeport',
  refusals: {
    DPP_PASSPORT_NOT_TRANSFERABLE:
      'Il ne peut pas être transmis en ce moment\u00a0: peut-être est-il déjà proposé à quelqu’un.',
    AUTH_FRESH_CODE_REQUIRED: 'Votre code a plus de 10 minutes. Connectez-vous avec un nouveau code.',
    VALIDATION_FAILED: 'Vérifiez l’adresse\u00a0: elle doit exister et ne pas être la vôtre.',
    RATE_LIMITED: 'Trop de messages sont partis aujourd’hui. Réessayez demain.',
    DPP_TRANSFER_NOT_ALLOWED: 'Ceci est pour quelqu’un d’autre que la personne connectée.',
  },
  refused: 'Cela n’a pas fonctionné. Veuillez réessayer.',
  link: {
    title: (name) => `${name} pour vous`,
    intro: (brand) => `Le propriétaire de cet article vous le transmet. ${brand} tient à jour qui en est propriétaire.`,
    signIn: 'Connectez-vous avec l’adresse qui a reçu le message, puis acceptez ou refusez.',
    text: 'Son jeton va dans votre portefeuille ici, et vous en devenez propriétaire.',
    accept: 'L’accepter',
    decline: 'Refuser',
    other:
      'Cette offre est pour une autre adresse que celle avec laquelle vous êtes connecté. Déconnectez-vous et utilisez l’adresse qui a reçu le message.',
    declined: { head: 'Vous avez refusé', text: 'L’article reste à son propriétaire.' },
    broken: {
      head: 'Ce lien ne fonctionne pas',
      text: 'Il a expiré ou n’a pas été copié en entier, ou l’offre a été acceptée, refusée ou retirée.',
    },
  },
  job: {
    waiting: {
      head: 'C’est en route…',
      text: 'L’article vous est remis. Cela prend quelques secondes\u00a0; la page se met à jour seule.',
      bar: 'Remise en cours',
    },
    done: { head: 'Il est à vous', text: 'L’article vous a été transmis et son jeton est dans votre portefeuille.' },
    failed: {
      head: 'Cela n’a pas fonctionné',
      text: 'L’article n’a pas été transmis.',
      again: 'Rien n’est perdu\u00a0: il est toujours à son propriétaire, qui peut le proposer de nouveau.',
    },
  },
  list: {
    head: 'Transmissions',
    to: (address) => `à ${address}`,
    received: 'pour vous',
    until: (day) => `jusqu’au ${day}`,
    made: {
      open: 'proposé',
      accepted: 'accepté, en route',
      completed: 'transmis',
      failed: 'n’a pas fonctionné, toujours à vous',
      declined: 'refusé',
      withdrawn: 'retiré',
      expired: 'expiré',
    },
    got: {
      open: 'ouvert\u00a0: utilisez le lien du message',
      accepted: 'accepté, en route',
      completed: 'à vous',
      failed: 'n’a pas fonctionné',
      declined: 'vous avez refusé',
      withdrawn: 'retiré',
      expired: 'expiré',
    },
    withdraw: 'Retirer l’offre',
    sent: 'Le message est parti. Vous verrez ici quand il sera accepté.',
  },
  message: {
    subject: (product) => `${product} est pour vous`,
    mail: (product, brand, address, days) => [
      `Le propriétaire de ${product} (${brand}) vous le transmet.`,
      { label: 'Accepter ou refuser', address },
      `Connectez-vous avec cette adresse e-mail pour accepter ou refuser. Le lien est valable ${days} jours. Si vous ne savez pas de quoi il s’agit, ignorez ce message\u00a0: rien ne se passe.`,
    ],
    text: (product, brand, address) => `${product} (${brand}) vous est transmis\u00a0: ${address}`,
  },
}
