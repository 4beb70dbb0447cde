/** Styles of every Mantine component; App.tsx has those of the sign-in page. */
import '@mantine/core/styles.layer.css';
