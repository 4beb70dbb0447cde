import { Settings } from '../../ui/Settings';
import { EmailSection } from './EmailSection';
import { FactorsSection } from './FactorsSection';
import { HistorySection } from './HistorySection';
import { IdentitiesSection } from './IdentitiesSection';
import { PasskeysSection } from './PasskeysSection';
import { PasswordSection } from './PasswordSection';
import { SessionsSection } from './SessionsSection';
import { StepUp } from './StepUp';

/** Account security panel, shared by all portals. */
export function SecurityPanel() {
  return (
    <StepUp>
      <Settings>
        <PasswordSection />
        <PasskeysSection />
        <FactorsSection />
        <EmailSection />
        <IdentitiesSection />
        <SessionsSection />
        <HistorySection />
      </Settings>
    </StepUp>
  );
}
