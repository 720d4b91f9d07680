"""What everybody knows and no text explains: software, techniques, practices and laws, and commands that start software.

Used by the types of names and by the readers of facts; data only. A handbook says ``deploy it to Kubernetes`` as
if everybody knew what that is, and the tagger takes *Prometheus* for a place. Only names that are no ordinary word are
here, and a few that are (``SHARED_WORDS``), which count where the document has others.
"""

# A pattern, or a list of names, is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

from kgfs.extraction.names.wordlists.firms import FIRMS

SYSTEMS = frozenset(
    "Windows Linux Unix macOS iOS Android Ubuntu Debian Fedora PowerShell Chrome Firefox Photoshop PowerPoint "
    "MacBook MacBooks iPhone iPhones iPad iPads Chromebook Chromebooks GitHub GitLab Bitbucket Jira Kubernetes Docker "
    "Jenkins CPython PyPy MySQL PostgreSQL SQLite MongoDB Elasticsearch Terraform Ansible WordPress Gmail "
    "Trello".split()
)
"""Words that make a longer name one of software, or of what it runs on."""
SOFTWARE = SYSTEMS | frozenset(
    """
    1Password|abapGit|Active Directory|Active Record|ActiveRecord|Adobe Acrobat|Airtable|AKS|Alembic|Alertmanager|Algolia|AlmaLinux|Alpine Linux|
    Amazon Athena|Amazon Aurora|Amazon CloudFront|Amazon CloudWatch|Amazon DynamoDB|Amazon EC2|Amazon ECR|Amazon ECS|Amazon EKS|
    Amazon Elastic Kubernetes Service|Amazon ElastiCache|Amazon Linux|Amazon RDS|Amazon Redshift|Amazon Route 53|Amazon S3|Amazon SageMaker|Amazon SES|
    Amazon SNS|Amazon SQS|Amazon Web Services|AngularJS|Ansible Tower|Apache Airflow|Apache Cassandra|Apache HTTP Server|Apache Kafka|Apache Lucene|
    Apache Solr|Apache Spark|AppDynamics|AppImage|AppVeyor|Arch Linux|Arduino|Argo CD|ArgoCD|Asana|AsciiDoctor|Asciidoctor|Asciinema|Auth0|AutoCAD|
    AWS Fargate|AWS Lambda|AWX|Azure DevOps|Azure Kubernetes Service|Backblaze B2|Backbone.js|BambooHR|Bazel|BigQuery|Bitwarden|BlueJeans|Bluesky|
    BorgBackup|BoringSSL|Brakeman|BreatheHR|Bioconductor|Brotli|BrowserStack|Bugcrowd|BugZilla|Bugzilla|Buildah|BuildKit|Buildkite|Burp Suite|c-ares|Caddy|Calendly|
    Canva|Capistrano|Capybara|Cassandra|CentOS|Ceph|CFEngine|Chaos Mesh|ChatGPT|Chocolatey|Chromium|Cilium|CircleCI|Claude Code|ClickHouse|ClickUp|Cloud Foundry|
    CloudFormation|CloudFront|Cloudinary|CloudTrail|CloudWatch|CMake|CockroachDB|Codeberg|Codecov|CodeQL|Concourse CI|conda-forge|Confluence|containerd|
    Contentful|CoreDNS|Corepack|Cosign|Cosmos DB|CouchBase|Couchbase|CouchDB|Coveralls|CPAN|CRAN|CRI-O|Crossplane|cURL|Cygwin|D3.js|Dashlane|Dask|Databricks|
    Datadog|Deno|Dependabot|Dependency-Track|Discourse|Django|Docker Compose|Docker Desktop|Docker Engine|Docker Hub|Docker Registry|Docker Swarm|
    DocumentDB|Docusaurus|DocuSign|Doxygen|DPDK|DragonFly BSD|draw.io|Dropbox|Drupal|DuckDB|Duplicati|DynamoDB|Dynatrace|EC2|EKS|
    Elastic Kubernetes Service|Elastic Stack|ElastiCache|Eleventy|Emacs|Ember.js|esbuild|ESLint|ESXi|etcd|Etherpad|Eventbrite|Evernote|Excalidraw|Excel|
    Exchange Online|Expensify|Fargate|FastAPI|Fastify|Fastly|FFmpeg|Figma|Flagsmith|Flake8|Flatpak|Fluent Bit|FluentBit|Fluentd|Flux CD|FluxCD|Forgejo|
    FreeBSD|Freshdesk|Gentoo|Gerrit|GIMP|GitBook|Gitea|GitHub Actions|GitHub Codespaces|GitHub Copilot|GitHub Desktop|GitHub Discussions|
    GitHub Enterprise|GitHub Issues|GitHub Pages|GitHub Projects|GitHub Sponsors|GitLab CI|Gitter|GKE|GlusterFS|GNU Privacy Guard|GnuPG|GnuTLS|GoCD|Gogs|
    Google Analytics|Google App Engine|Google Authenticator|Google Calendar|Google Chrome|Google Cloud Platform|Google Cloud Storage|
    Google Colab|Google Compute Engine|Google Docs|Google Drive|Google Forms|Google Groups|Google Hangouts|Google Kubernetes Engine|Google Maps|
    Google Meet|Google Search Console|Google Sheets|Google Slides|Google Tag Manager|Google Workspace|GoToMeeting|Gradle|Grafana|Grafana Loki|GraphiQL|
    gRPC-Gateway|Grype|Gunicorn|gVisor|Hacker News|HackerOne|HackMD|Hadoop|HAProxy|HashiCorp Consul|HashiCorp Nomad|HashiCorp Vault|Heroku|Homebrew|
    Hotjar|HubSpot|Hugging Face Transformers|Hyper-V|Icinga|illumos|ImageMagick|InfluxDB|Inkscape|Instagram|IntelliJ|IntelliJ IDEA|Internet Explorer|
    IRCCloud|Istio|Jakarta EE|Java EE|Java SE|Jekyll|Jenkins X|JetBrains Rider|Jitsi|Jitsi Meet|JMeter|Joomla|JUnit|Jupyter|Jupyter Book|Jupyter Notebook|JupyterHub|JupyterLab|k3d|
    K3s|k6|k9s|Kafka|KEDA|KeePass|KeePassXC|Keras|Keycloak|Kibana|Knative|kOps|kops|kube-apiserver|kube-controller-manager|kube-proxy|kube-scheduler|
    kubeadm|Kubebuilder|kubectl|KubeEdge|Kubeflow|Kubelet|Kubespray|kubespray|KubeVirt|Kustomize|KVM|Kyverno|LangChain|LastPass|LaTeX|LaunchDarkly|
    Let's Encrypt|Libera.Chat|LibreOffice|LibreSSL|libuv|Linkerd|LitmusChaos|LlamaIndex|llhttp|LLVM|Lodash|Logit.io|Logseq|Logstash|Looker Studio|Lucene|
    Lucidchart|LXC|LXD|MacPorts|Magento|Mailchimp|MapReduce|MariaDB|Matplotlib|Mattermost|MediaWiki|Mediawiki|Memcached|MemSQL|Mergify|Metasploit|
    MicroK8s|Microsoft 365|Microsoft Azure|Microsoft Edge|Microsoft Excel|Microsoft Exchange|Microsoft Office|Microsoft Outlook|Microsoft PowerPoint|
    Microsoft Teams|Microsoft Word|Miniconda|Minikube|minikube|MinIO|Miro|Mixpanel|MkDocs|MLflow|Moment.js|Monday.com|Moodle|Mozilla Firefox|MSYS2|
    Nagios|Neo4j|Neovim|Nessus|NestJS|NetBeans|NetBSD|Netlify|Netlify CMS|NetSuite|New Relic|Next.js|Nextcloud|nghttp2|NGINX|Nginx|NixOS|NLTK|Nmap|
    node-gyp|Node.js|Nodemon|Nokogiri|Notepad++|npm|NumPy|Nuxt|NVM|nvm|Octopus Deploy|Office 365|OKD|Okta|Ollama|OmniFocus|OneDrive|OneLogin|OneNote|
    OPA Gatekeeper|Open Policy Agent|Open vSwitch|OpenAPI|OpenBSD|OpenCV|OpenEBS|OpenSearch|OpenShift|OpenSSH|OpenSSL|OpenStack|OpenStreetMap|openSUSE|
    OpenTelemetry|OpenTofu|OpsGenie|Opsgenie|Optimizely|Oracle Linux|Otter.ai|Overleaf|OWASP ZAP|ownCloud|PagerDuty|Pandas|pandas|Pandoc|PayPal Checkout|
    Perforce|pgAdmin|PgBouncer|Phabricator|phpMyAdmin|PhpStorm|Pingdom|Pinterest|Pipenv|Pivotal Tracker|Playwright|Plotly|pnpm|Podman|Postgres|Power BI|
    Prisma|Prometheus|Proxmox|Pulumi|PuTTY|PyCharm|Pydantic|Pylint|PyPI|PySpark|pytest|PyTorch|QEMU|QGIS|QNX|QuickBooks|RabbitMQ|Raspberry Pi|Rclone|
    rclone|React Native|React Router|React.js|ReactJS|Read the Docs|Read.ai|ReadTheDocs|Red Hat Enterprise Linux|Reddit|Redis|Redshift|renovatebot|RHEL|
    RKE2|Rocky Linux|Rollbar|Rollup.js|Route 53|Route53|RSpec|RStudio|rsync|RuboCop|Ruby on Rails|RubyGems|RubyMine|Rundeck|SageMaker|Salesforce CRM|
    SaltStack|Sanity.io|SAP HANA|scikit-learn|SciPy|Seafile|Semgrep|SendGrid|Serverless Framework|ServiceNow|setuptools|SharePoint|Sidekiq|Sigstore|
    SimpleCov|Sinatra|Skaffold|Skopeo|Skype|Slack|Slackbot|Smartsheet|Snapchat|Snapcraft|Snowflake|Socket.IO|Solr|SonarCloud|SonarQube|Sonobuoy|
    SoundCloud|SourceForge|spaCy|SPIFFE|SPIRE|Splunk|SpiderMonkey|Spring Boot|SQLAlchemy|SQS|Squarespace|Stack Overflow|StackOverflow|StackStorm|StatsD|Statuspage|
    Storybook|Strapi|Stripe Connect|Sublime Text|Substack|SuccessFactors|Supabase|Superset|SurveyMonkey|SUSE Linux|SvelteKit|SVN|Syft|Syncthing|systemd|
    Tailscale|Tailwind CSS|Tarsnap|TeamCity|Telegram|Telepresence|TensorFlow|TestFlight|Thanos|Three.js|Thunderbird|TiDB|TikTok|TiKV|Twitter|Todoist|Tomcat|
    Traefik|Travis CI|Trivy|Twilio|Typeform|undici|uWSGI|V8|Vagrant|Velero|Vercel|Vertex AI|Vim|Vimeo|VirtualBox|virtualenv|Visual Studio|
    Visual Studio Code|Vite|Vitess|Vitest|VMware vSphere|VS Code|VSCode|vSphere|Vue.js|Webex|Webpack|webpack|WebKit|WebRender|WebStorm|WhatsApp|When2meet|Wikidata|Wikimedia Commons|
    Wikipedia|Windows Subsystem for Linux|WireMock|Wiremock|Wireshark|WooCommerce|WSL|WSL2|Xcode|Xen|Xero|YouTrack|YouTube|YubiKey|Yubikey|Zabbix|Zapier|
    Zendesk|ZenHub|Zenhub|Zipkin|zlib|ZooKeeper|Zotero|Zulip
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
CLOUDS = frozenset(("AWS", "GCP"))
"""Names of whole families of software."""
SHARED_WORDS = frozenset(
    "Anaconda Atom Babel Basecamp Bundler Calico Celery Chef Consul Cucumber Cypress Discord Duplicity Eclipse "
    "Electron Envoy Flannel Flask Flutter Gatsby Git Harbor Helm Honeycomb Hugo Jaeger Jest Loki Mastodon Maven Mocha "
    "Nomad Notion Obsidian Packer Poetry Postman Puma Puppet Puppeteer Rails Rancher Redux Renovate Rook Ruby Rust "
    "Samba Sass Selenium Sentry Solaris Sphinx Squid Swagger Tableau Varnish Vault Workday Yarn Zoom".split()
)
"""Names of software that are words too: they count where the document names two others."""
LANGUAGES = frozenset("Ruby Rust".split())
"""Those of them that are languages."""
TECHNIQUES = frozenset(
    "APIs XML HTML JSON CSS HTTP HTTPS SSH SSL TLS GUID UUID SQL PDF CSV YAML TOML DNS DHCP TCP UDP FTP SFTP SMTP IMAP CPU "
    "GPU RAM VM VPN LDAP SAML OAuth OAuth2 OpenID REST SOAP RPC gRPC ASCII UTF UTF-8 Unicode NTLM MSI RSS WMI COM CLR DLL GPS "
    "WebGL WebGPU WebDriver WebXR WebIDL IPC ARM64 AMD64 POSIX x86 x86_64 RISC-V IMEI SMS USB PIN MFA 2FA Markdown JS JavaScript TypeScript jQuery PHP COBOL Fortran GraphQL LaTeX WCAG CDN DDoS IPv4 IPv6 "
    "WebSocket WebSockets WebRTC WebAssembly Wasm WASM MQTT AMQP QUIC OIDC SSO CSP NTP BGP SNMP ARP IRC ALB ELB VSS SHA NUMA VLAN VPC CIDR NAT ICMP DMARC SPF DKIM TOTP U2F FIDO WebAuthn ECMAScript ESM CommonJS CJS WASI JSX XSLT RDF JSON-LD HTML5 CSS3 HTTP/2 HTTP/3 HTTP2 HTTP3 FIPS LUKS LVM VHD OCI CRI CNI CSI CRD CRDs RBAC HPA ABI FFI JIT JVM SIMD AOT WYSIWYG OPML GeoJSON WebP AVIF MP4 MP3 TIFF UPnP CORS JWT JWTs Protobuf Avro Parquet AsciiDoc "
    "reStructuredText BibTeX PKI STUN Btrfs BTRFS XFS ZFS EXT4 NFS SMB iSCSI RAID RAID0 RAID1 RAID5 RAID10 SAS SATA NVMe SSD SSDs HDD HDDs Lua Zig HMAC SHA-1 SHA-256 SHA256 MD5 AES RSA SVG PNG JPEG GIF Golang ABAP OCaml Scala Kotlin Erlang Elixir Clojure Perl Bash C++ C# F# Java Python".split()
)
"""Protocols, formats, languages, devices, which the tagger takes for organizations and places."""
COMMON_NOUNS = frozenset(
    "API APIs CDN CDNs CLI CLIs CPU CPUs DB DBs GPU GPUs GUI GUIs HDD HDDs IDE IDEs IPC LAN OS PC PCs PIN PINs RAM SDK "
    "SDKs SIG SIGs SSD SSDs UI UIs URI URIs URL URLs UX VM VMs VPC VPCs VPN VPNs WAN WG WGs".split()
)
"""Letters of which every text speaks as of a common noun: *the CPU*. They are something to look up only where a text
says what they are."""
PRACTICES = frozenset(
    "FAQs CLA CLAs E2E GA TL TLs RC RCs RFC SemVer CoC CFP ToC ToS SRE SREs CVE CVEs DCO EHR EHRs KPI KPIs MVP MVPs NDA NDAs OKR OKRs PRs PTO QA RFCs RFP RFPs RFQ SLA SLAs SLO SLOs TOIL DevOps DevSecOps DevRel "
    "GitOps FinOps MLOps AI ML LLM LLMs NLP OSS FOSS Kanban Scrum TDD BDD CI/CD".split()
)
"""Ways to work, and words for papers and periods."""
LICENSES = frozenset("GPL GPLv2 GPLv3 LGPL LGPLv3 AGPL AGPLv3 MIT-0 CC-BY CC-BY-SA CC0".split())
REGIONS = frozenset("AMER ANZ APAC DACH EMEA LATAM MENA".split())
"""Parts of the world that firms divide it into."""
CONFERENCES = frozenset(
    "AWS re:Invent|re:Invent|Google I/O|Google Next|Google Cloud Next|Microsoft Build|Microsoft Ignite|GitHub Universe|Red Hat Summit|"
    "Open Source Summit|VMware Explore|VMworld|Dreamforce|FOSDEM|OSCON|ApacheCon|Community Over Code|FOSS Backstage|All Things Open|Strange Loop|"
    "Grace Hopper Celebration|SIGGRAPH|NeurIPS|ICML|ICLR|CVPR|EMNLP|SIGMOD|VLDB|OSDI|SOSP|PLDI|SXSW|WWDC|Hacktoberfest|EuroPython|linux.conf.au|"
    "Web Summit|Chaos Communication Congress|Black Hat USA|DEF CON".split("|")
)
PROGRAMS = frozenset(
    "Google Code-in|Google Season of Docs|Google Summer of Code|LFX Mentorship|Outreachy|Season of Docs|Season of KDE|"
    "Summer of Code|GSoC|GSoD".split("|")
)
"""What brings newcomers to projects for some time."""
LAWS = frozenset("GDPR HIPAA CCPA FOIA COPPA FERPA".split())
OTHER_NAMES = {
    "ArgoCD": "Argo CD", "BugZilla": "Bugzilla", "FluentBit": "Fluent Bit", "Github": "GitHub", "GitHub.com": "GitHub", "GitLab.com": "GitLab",  "Github Desktop": "GitHub Desktop",
    "Golang": "Go", "K8s": "Kubernetes", "k8s": "Kubernetes", "Mediawiki": "MediaWiki", "NodeJS": "Node.js", "Node.JS": "Node.js",
    "nodejs": "Node.js", "OTel": "OpenTelemetry", "OTEL": "OpenTelemetry", "Opsgenie": "OpsGenie", "Postgres": "PostgreSQL",
    "ReadTheDocs": "Read the Docs", "StackOverflow": "Stack Overflow", "VS Code": "Visual Studio Code", "VSCode": "Visual Studio Code",
    "reST": "reStructuredText", "ReST": "reStructuredText", "CNCF": "Cloud Native Computing Foundation", "HMRC": "HM Revenue and Customs",
    "IETF": "Internet Engineering Task Force", "W3C": "World Wide Web Consortium", "AlertManager": "Alertmanager", "Minio": "MinIO", "GH": "GitHub", "GHA": "GitHub Actions",
    "AKS": "Azure Kubernetes Service", "AWS": "Amazon Web Services", "EKS": "Amazon EKS", "Elastic Kubernetes Service": "Amazon EKS",
    "Amazon Elastic Kubernetes Service": "Amazon EKS", "FluxCD": "Flux CD", "GCP": "Google Cloud Platform", "GKE": "Google Kubernetes Engine", "RHEL": "Red Hat Enterprise Linux",
    "EU": "European Union", "UN": "United Nations", "CFN": "CloudFormation", "AWS CloudFormation": "CloudFormation", "Elastic Compute Cloud": "Amazon EC2", "Elastic Container Registry": "Amazon ECR", "Elastic Container Service": "Amazon ECS",
    "Relational Database Service": "Amazon RDS", "S3": "Amazon S3", "Simple Storage Service": "Amazon S3", "SQS": "Amazon SQS",
    "OSX": "macOS", "OS X": "macOS", "NPM": "npm", "Hackerone": "HackerOne", "Youtube": "YouTube", "Linkedin": "LinkedIn",
    "ReactJS": "React.js", "AWS Route 53": "Route 53", "Amazon Route 53": "Route 53", "Route53": "Route 53", "EC2": "Amazon EC2", "CouchBase": "Couchbase", "Zenhub": "ZenHub", "Yubikey": "YubiKey",
}  # fmt: skip
"""What else some of it is called, to its name."""
_CONFIGURES = re.compile(r"(?!Pro|Sub)[A-Z][a-z]{2,}file")
"""*Caddyfile*, *Dockerfile*: what configures a tool is written in."""
_HEADER = re.compile(r"X-[A-Z][\w]*(?:-[A-Z][\w]*)*")
"""*X-Forwarded-For*, of a request over the web."""
FIRMS_TOO = frozenset(
    "Airtable|Amazon Web Services|Asana|Bitbucket|Bitwarden|BrowserStack|Canva|CircleCI|Databricks|Datadog|Docker|DocuSign|Dropbox|Fastly|Figma|GitHub|GitLab|Grafana|Heroku|HubSpot|"
    "Mattermost|MongoDB|Netlify|Okta|Miro|PagerDuty|Rollbar|SendGrid|Slack|Snowflake|Splunk|Stack Overflow|Supabase|SurveyMonkey|Tailscale|Twilio|"
    "Typeform|Vercel|Zapier|Zendesk|Zoom|Sentry|Notion|Chef|Puppet".split("|")
)
"""Names of software that its makers have, too."""

_RELEASE = re.compile(r"(?P<name>\S.*?) v?\d{1,4}(?:\.\d{1,3}){0,3}")
"""A name with the number of a release: *Ubuntu 20.04*."""


def well_known_type(name: str) -> str:
    """What a name means wherever it stands; empty for most, and for what may be its maker as well."""
    if name in FIRMS:
        return "Organization"
    name = usual_spelling(name)
    if name in TECHNIQUES:
        return "Technology"
    if name in PRACTICES:
        return "Concept"
    if name in LAWS:
        return "Law"
    if name in CONFERENCES:
        return "Event"
    if name in PROGRAMS:
        return "Program"
    if name in LICENSES:
        return "License"
    if name in REGIONS:
        return "Location"
    if _CONFIGURES.fullmatch(name) or _HEADER.fullmatch(name):
        return "Technology"
    if name in CLOUDS or (name in SOFTWARE and name not in FIRMS_TOO):
        return "Product"
    release = _RELEASE.fullmatch(name)
    kind = well_known_type(release["name"]) if release is not None else ""
    return kind if kind in ("Product", "Technology") else ""


_BY_LETTERS = {
    name.casefold(): name
    for name in sorted(SOFTWARE | TECHNIQUES)
    if len(name) > 5 and name[1:] != name[1:].lower() and not name.isupper() and " " not in name
}
"""Names with capitals inside, which many write with fewer: *Javascript*."""


def usual_spelling(name: str) -> str:
    """A name as the software or the technique is mostly written: *JavaScript* for *Javascript*; others stay."""
    return _BY_LETTERS.get(name.casefold(), name) if name[:1].isupper() and name.isalpha() else name


def is_known_software(name: str) -> bool:
    """Whether a name is that of well-known software, or a word that is such a name in texts on software."""
    return name in SOFTWARE or name in SHARED_WORDS
