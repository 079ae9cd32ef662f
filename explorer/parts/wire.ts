/** Names that the pages use for the types of responses. */
import type { EventEntry, MachineEvent, PublishedDeploymentResponse } from '../../client/client.ts';

export type {
  ActiveMachinesResponse as ActiveMachines,
  BoundFleetResponse as BoundFleet,
  BoundMcrRecordResponse as BoundRating,
  CardResponse as Card,
  Change,
  ChangePageResponse as ChangePage,
  DecisionEntry,
  DecisionLogResponse,
  DirectoryEntry,
  DirectoryResponse as Directory,
  DirectorySummaryResponse as DirectorySummary,
  EventEntry,
  EventListingResponse as EventListing,
  ExplanationResponse as Explanation,
  FleetResponse as Fleet,
  HistoryPoint,
  HistoryResponse as History,
  Letter,
  MonetizationStateResponse as Monetization,
  ProfileFacts as Profile,
  RatedFleetResponse as RatedFleet,
  RatingFactor as Factor,
  ReadinessResponse as Readiness,
  StatusResponse as Status,
  VerifyRecordResponse as VerifyRecord,
} from '../../client/client.ts';

/** An event of a profile or of a listing; a listing adds further members. */
export type ShownEvent = MachineEvent & Partial<EventEntry>;

export interface Deployment extends PublishedDeploymentResponse {
  readonly registry: `0x${string}`;
}
